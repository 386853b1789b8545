'use strict';
// The comparison of two builds as a view: as race.js has a race's, with the movers first.

class Comparison {
  constructor({base, candidate, notes, summary, legend, control, rows}) {
    this.rows = new Rows(rows);
    this.files = {base, candidate};
    this.title = `opbench compare: ${summary}`;
    this.about = `${candidate} against ${base}${control && ` · control: ${control}`}`;
    this.notes = legend ? [...notes, legend] : notes;
    this.order = {name: 'mover', descending: true};
    this.samples = Array.from({length: this.rows.length}, (_, row) => this.#sample(row));
  }

  get unit() {
    return 'samples and contenders';
  }

  #sample(row) {
    const text = name => this.rows.text(name, row);
    const sample = {
      row, id: `${text('op')} ${text('sample')} ${text('dtype')} ${text('contender')}`,
      op: text('op'), brief: text('brief'), state: text('verdict'), family: text('contender'), isNetwork: false,
      calls: this.rows.positive('count', row) ?? 1,
      base: this.rows.positive('base_us', row), candidate: this.rows.positive('candidate_us', row), ratio: this.rows.positive('ratio', row),
      time: this.rows.positive('time_ratio', row), speedup: this.rows.positive('speedup_ratio', row),
      low: this.rows.positive('ratio_low', row), high: this.rows.positive('ratio_high', row), remark: text('remark'),
    };
    sample.mover = moverRank(sample);
    sample.words = [sample.op, sample.brief, text('sample'), sample.state, sample.family, sample.remark].join(' ').toLowerCase();
    return sample;
  }

  overview(samples) {
    const counts = new Map();
    for (const {state} of samples) counts.set(state, (counts.get(state) ?? 0) + 1);
    const mean = geometricMean(samples.map(sample => sample.ratio).filter(ratio => ratio !== null));
    const cards = mean === null ? [] : [{title: samples.some(sample => sample.speedup !== null) ? 'time over eager’s' : 'time', figure: changeText(mean.ratio), tone: mean.ratio <= 1 ? 'good' : 'bad',
      note: `geometric mean of ${countText(mean.samples)} ratios${mean.low === null ? '' : `, 95% ${changeText(mean.low)}..${changeText(mean.high)}`}`}];
    return cards.concat([...counts].sort(([, a], [, b]) => b - a).map(([state, count]) => ({title: state, figure: countText(count), tone: toneOfState(state)})));
  }

  /** What moved most: failures, then the largest changes that have a verdict. */
  movers(samples) {
    const most = 20;
    return samples.filter(sample => sample.mover > 1).sort((a, b) => b.mover - a.mover).slice(0, most)
      .map(sample => ({sample, tone: toneOfState(sample.state), text: `${sample.state} ${changesText(sample)}`}));
  }

  get columns() {
    return [
      {name: 'mover', title: 'verdict', width: 12, isText: true, value: sample => sample.mover, text: sample => sample.state, tone: sample => toneOfState(sample.state)},
      {name: 'operator', title: 'operator', width: 22, value: sample => sample.op},
      {name: 'sample', title: 'sample', width: 28, value: sample => sample.brief},
      {name: 'contender', title: 'contender', width: 9, value: sample => sample.family},
      {name: 'base', title: 'baseline', width: 9, value: sample => sample.base, show: timeText},
      {name: 'candidate', title: 'candidate', width: 9, value: sample => sample.candidate, show: timeText},
      {name: 'time', title: 'time', width: 8, value: sample => sample.time, show: changeText},
      {name: 'speedup', title: 'speedup', width: 8, value: sample => sample.speedup, show: changeText, tone: sample => toneOfState(sample.state)},
      {name: 'interval', title: '95% interval', width: 13, value: sample => sample.low, text: changeIntervalText},
      {name: 'calls', title: 'calls', width: 7, value: sample => sample.calls, show: countText},
    ];
  }

  get pictures() {
    return [
      {kind: 'scatter', id: 'size', title: 'Change against time', caption: 'A dot is a sample, its colour its contender. Above +0% the candidate takes longer, beside eager where that ran.',
        x: {title: 'time in the baseline', text: timeText}, y: {title: 'change of the time over eager’s', text: changeText}, lines: () => [{name: 'no change', points: 1}],
        points: samples => pointsOf(samples, sample => sample.base, sample => sample.ratio)},
      {kind: 'histogram', id: 'distribution', title: 'Distribution of changes', caption: 'Of the time over eager’s. Bars left of +0% are faster than in the baseline, those right of it slower.',
        values: samples => samples.map(sample => sample.ratio).filter(ratio => ratio !== null), text: changeText, better: ratio => ratio < 1},
      {kind: 'treemap', id: 'operators', title: 'Operators by recorded time', caption: 'An area is the baseline’s time of all recorded calls, a colour the change of the time over eager’s: blue is faster, orange slower. A click shows the operator alone.',
        isReversed: true, cells: samples => cellsOf(samples, sample => sample.base === null ? 0 : sample.base * sample.calls, sample => sample.ratio), text: changeText},
    ];
  }

  detail(sample) {
    const text = name => this.rows.text(name, sample.row);
    const parts = [element('h2', {}, sample.op), element('pre', {}, text('sample')), element('p', {className: toneOfState(sample.state)}, `${sample.state} ${changesText(sample)}`)];
    if (sample.remark) parts.push(element('p', {}, sample.remark));
    parts.push(element('h3', {}, 'Both builds'), tableOf(['', 'baseline', 'candidate'], [
      ['time', timeText(sample.base), timeText(sample.candidate)],
      ['status', text('base_status') || none, text('candidate_status') || none],
      ['reason', text('base_reason'), text('candidate_reason')],
    ]));
    for (const [title, field] of [['Reproduce in the baseline', 'base_where'], ['Reproduce in the candidate', 'candidate_where']])
      if (text(field)) parts.push(element('h3', {}, title), commandOf(`opbench repro ${quoted(text(field))}`));
    const names = this.rows.names.filter(name => text(name) !== '');
    parts.push(element('details', {}, element('summary', {}, 'All fields'), tableOf(null, names.map(name => [name, text(name)]))));
    return parts;
  }
}

/** `time +8.3%, speedup -7.7%`: what is known of both. */
function changesText({time, speedup}) {
  return [['time', time], ['speedup', speedup]].filter(([, ratio]) => ratio !== null).map(([name, ratio]) => `${name} ${changeText(ratio)}`).join(', ');
}

/** The 95 % interval of the speedup's change, or else of the time's. */
function changeIntervalText({low, high, speedup}) {
  if (low === null || high === null) return '';
  const [least, most] = speedup === null ? [low, high] : [1 / high, 1 / low];
  return `${changeText(least)}..${changeText(most)}`;
}

/** The order of movers: what newly fails, what is fixed, then what has a verdict by the size of its change, then the rest. */
function moverRank({state, ratio}) {
  const change = ratio === null ? 0 : Math.min(1, Math.abs(Math.log(ratio)) / 100);
  if (['WRONG', 'CRASH', 'IMPOSSIBLE'].includes(state)) return 5;
  if (state === 'SLOW') return 3 + change;
  if (state === 'FAST') return 2 + change;
  return state === 'fixed' ? 4 : state.startsWith('ambiguous') ? 0.5 + change : change / 2;
}
