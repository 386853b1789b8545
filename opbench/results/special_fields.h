#pragma once

#include "opbench/results/line.h"

namespace opbench::results {

using Written = const WrittenLine;

/// A field that follows from others, and is not read.
Field<Line> derived(const char* name, OrderedJson (*value)(Written&));
/// A field that lines of networks alone have.
Field<Line> ofNetworks(Field<Line> field);
/// A quantile of the rounds.
Field<Line> quantileOf(const char* name, double share);

// Fields that no kind of codec.h writes and reads; line.cpp has them at their places.
Field<Line> operatorField();
Field<Line> contenderField();
Field<Line> statusField();
Field<Line> kindField();
Field<Line> intervalField();
Field<Line> percentilesField();
Field<Line> histogramField();
Field<Line> speedupField();
Field<Line> secondaryField();
Field<Line> stoppedField();
Field<Line> stagesField();
Field<Line> gpuField();
Field<Line> bytesField();
Field<Line> operationsField();
Field<Line> productsField();
Field<Line> memoryTraceField();
Field<Line> graphNodesField();
Field<Line> determinismField();
Field<Line> noisesField();
Field<Line> flushField();
Field<Line> seedField();
Field<Line> environmentField();
/// The A/A noise of times as long as the outcome's.
OrderedJson noiseAt(Written& it);
/// The name of the main measure.
OrderedJson mainMeasureName(Written& it);

}  // namespace opbench::results
