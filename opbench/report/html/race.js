'use strict';
// The results of a race as a view: the samples, the columns of their table, their pictures, and the details of one.

const family = name => name || 'none';

/** Whether an operator is a whole network. */
const isNetwork = op => op.startsWith('model.') || op.startsWith('rnn.');

class Race {
  /** `lines` are those of a results file: one a sample and contender. */
  constructor(lines) {
    this.rows = new Rows(lines);
    this.samples = [];
    this.contenders = [];
    const known = new Map();
    for (let row = 0; row < this.rows.length; ++row) {
      const name = this.rows.text('contender', row);
      const key = ['index', 'op', 'sample', 'dtype'].map(field => this.rows.text(field, row)).join('\n');
      const sample = known.get(key);
      if (sample === undefined) {
        known.set(key, {lines: [row], first: row});
        this.samples.push(known.get(key));
      } else {
        sample.lines.push(row);
        if (!this.contenders.includes(name)) this.contenders.push(name);
      }
    }
    this.samples.sort((a, b) => (this.rows.number('index', a.first) ?? 0) - (this.rows.number('index', b.first) ?? 0));
    this.choose(this.contenders.includes('opbench') ? 'opbench' : this.contenders[0]);
  }

  get unit() {
    return 'samples';
  }

  /** Sets whose figures are shown beside the baseline's. */
  choose(contender) {
    this.contender = contender;
    for (const sample of this.samples) Object.assign(sample, this.#sample(sample));
  }

  #sample({lines, first}) {
    const rows = this.rows;
    const shown = lines.find(row => rows.text('contender', row) === this.contender) ?? lines[lines.length - 1];
    const op = rows.text('op', first);
    const speedup = lines.length > 1 && shown !== first ? rows.positive('speedup', shown) : null;
    const sample = {
      id: `${rows.text('index', first)} ${op} ${rows.text('sample', first)} ${rows.text('dtype', first)}`,
      lines, first, shown, op, speedup,
      isNetwork: isNetwork(op),
      brief: rows.text('brief', first) || rows.text('sample', first),
      family: family(rows.text('family', first)),
      kind: rows.text('kind', shown),
      calls: rows.positive('count', first) ?? 1,
      bytes: rows.positive('bytes', first),
      baseline: rows.positive('median_us', first),
      time: rows.positive('median_us', shown),
    };
    sample.state = this.#state(sample);
    sample.words = [op, sample.brief, rows.text('sample', first), sample.family, sample.kind, sample.state, rows.text('suite', first),
      rows.text('file', first), rows.text('reason', shown)].join(' ').toLowerCase();
    return sample;
  }

  /** The status of a sample; of one that is ok how it compares with the baseline, if both have times. */
  #state({shown, speedup}) {
    const status = this.rows.text('status', shown);
    if (status !== 'ok' || speedup === null) return status;
    const low = this.rows.number('speedup_low', shown), high = this.rows.number('speedup_high', shown);
    const noise = this.rows.number('aa_noise', shown) ?? 0;
    if ((low !== null && high !== null && low <= 1 && high >= 1) || Math.abs(speedup - 1) <= noise) return 'no measurable difference';
    return speedup > 1 ? 'faster' : 'slower';
  }

  get title() {
    const first = name => this.rows.text(name, 0);
    return `${first('version') || 'opbench'} on ${first('device_name')} (${first('device')}), ${first('dtype')}`;
  }

  get about() {
    const first = name => this.rows.text(name, 0);
    return [first('measure') && `${first('measure')} times`, first('started') && `started ${first('started')}`, first('options'), first('software')]
      .filter(Boolean).join(' · ');
  }

  /** The largest value that lines have: ceilings are raised while a run goes on. */
  #highest(name) {
    let most = null;
    for (const {shown} of this.samples) most = Math.max(most, this.rows.positive(name, shown)) || null;
    return most;
  }

  overview(samples) {
    const rows = this.rows;
    const fair = samples.filter(each => each.speedup !== null && rows.value('trivial_solution', each.shown) === null);
    const computing = fair.filter(each => each.kind !== 'view');
    const mean = (title, values) => this.#meanCard(title, geometricMean(values));
    const secondary = rows.names.includes('throughput_speedup') ? 'throughput' : 'cold';
    return [
      mean('generated kernels', fair.filter(each => each.kind === 'generated').map(each => each.speedup)),
      mean('all that compute', computing.map(each => each.speedup)),
      mean(`${secondary} times`, computing.map(each => rows.positive(`${secondary}_speedup`, each.shown)).filter(ratio => ratio !== null)),
      this.#callsCard(fair),
      this.#coverageCard(samples),
      ...this.#stateCards(samples),
    ].filter(card => card !== null);
  }

  #meanCard(title, mean) {
    if (mean === null) return null;
    const interval = intervalText(mean.low, mean.high);
    return {title, figure: ratioText(mean.ratio), tone: mean.ratio >= 1 ? 'good' : 'bad',
      note: `geometric mean of ${countText(mean.samples)} samples${interval && `, 95% ${interval}`}`};
  }

  /** The time of a call among others, as a model makes it, and the baseline's time over it. */
  #backToBack(row) {
    const isCold = this.rows.text('measure', row) === 'cold';
    const time = isCold ? this.rows.positive('throughput_us', row) : null;
    return time === null ? [this.rows.positive('median_us', row), this.rows.positive('speedup', row)]
      : [time, this.rows.positive('throughput_speedup', row)];
  }

  #callsCard(samples) {
    let own = 0, baseline = 0;
    for (const {shown, calls} of samples) {
      const [time, ratio] = this.#backToBack(shown);
      if (time === null || ratio === null) continue;
      own += calls * time;
      baseline += calls * time * ratio;
    }
    return own === 0 ? null : {title: 'weighted by call count', figure: ratioText(baseline / own), tone: baseline >= own ? 'good' : 'bad',
      note: `${timeText(Math.abs(baseline - own))} ${baseline >= own ? 'saved' : 'lost'}`};
  }

  #coverageCard(samples) {
    const all = this.rows.positive('recorded_samples', 0), allCalls = this.rows.positive('recorded_calls', 0);
    const covered = samples.filter(each => this.rows.text('status', each.first) !== 'skipped');
    const calls = covered.reduce((sum, each) => sum + each.calls, 0);
    const ofCalls = allCalls === null ? '' : `, ${Math.floor((100 * calls) / allCalls)}% of their calls`;
    return {title: 'coverage', figure: countText(covered.length), note: all === null ? 'samples' : `of ${countText(all)} recorded samples${ofCalls}`};
  }

  #stateCards(samples) {
    const counts = new Map();
    for (const {state} of samples) counts.set(state, (counts.get(state) ?? 0) + 1);
    const card = (title, states, tone) => {
      const found = states.filter(state => counts.has(state));
      const total = found.reduce((sum, state) => sum + counts.get(state), 0);
      return {title, figure: countText(total), tone: total > 0 ? tone : '', note: found.join() === title ? '' : found.map(state => `${counts.get(state)} ${state}`).join(', ')};
    };
    return [
      card('wrong', ['wrong', 'impossible', 'suspect'], 'bad'),
      card('failed', ['error', 'crash', 'assert', 'timeout', 'oom'], 'bad'),
      card('slower', ['slower'], 'warning'),
      card('no measurable difference', ['no measurable difference'], ''),
    ];
  }

  get columns() {
    const rows = this.rows;
    const shown = name => sample => rows.number(name, sample.shown);
    const baseline = this.samples.length > 0 ? rows.text('contender', this.samples[0].first) : 'baseline';
    return [
      {name: 'operator', title: 'operator', width: 20, value: sample => sample.op},
      {name: 'sample', title: 'sample', width: 28, value: sample => sample.brief},
      {name: 'state', title: 'status', width: 17, value: sample => sample.state, tone: sample => toneOfState(sample.state)},
      {name: 'baseline', title: baseline, width: 8, value: sample => sample.baseline, show: timeText},
      {name: 'time', title: this.contender ?? 'time', width: 8, value: sample => sample.time, show: timeText},
      {name: 'speedup', title: 'speedup', width: 8, value: sample => sample.speedup, show: ratioText, tone: sample => toneOfState(sample.state)},
      {name: 'interval', title: '95% interval', width: 11, value: shown('speedup_low'),
        text: sample => sample.speedup === null ? '' : intervalText(rows.number('speedup_low', sample.shown), rows.number('speedup_high', sample.shown))},
      {name: 'roofline', title: 'SOL', width: 6, value: shown('of_roofline'), show: percentText},
      {name: 'bandwidth', title: 'GB/s', width: 7, value: shown('gb_per_s'), show: value => value === null ? none : digits(value, 3)},
      {name: 'bytes', title: 'bytes', width: 8, value: sample => sample.bytes, show: bytesText},
      {name: 'calls', title: 'calls', width: 7, value: sample => sample.calls, show: countText},
    ];
  }

  get pictures() {
    const operators = samples => samples.filter(sample => !sample.isNetwork);
    const networks = samples => samples.filter(sample => sample.isNetwork);
    return [
      {kind: 'scatter', id: 'size', title: 'Speedup against size', caption: 'A dot is a sample, its colour its family. Above 1x it is faster than the baseline.',
        x: {title: 'bytes that must move', text: bytesText}, y: {title: 'speedup', text: ratioText}, lines: () => [{name: '1x', points: 1}],
        points: samples => pointsOf(operators(samples), sample => sample.bytes, sample => sample.speedup)},
      {kind: 'histogram', id: 'distribution', title: 'Distribution of speedups', caption: 'Bars right of 1x are faster than the baseline, those left of it slower.',
        values: samples => operators(samples).map(sample => sample.speedup).filter(ratio => ratio !== null), text: ratioText, better: ratio => ratio > 1},
      {kind: 'scatter', id: 'roofline', title: 'Roofline', caption: 'Achieved bandwidth against arithmetic intensity. The lines are the measured ceilings; samples without arithmetic stand at the left edge.',
        x: {title: 'operations a byte', text: value => digits(value, 2)}, y: {title: 'GB/s', text: value => digits(value, 3)}, lines: () => this.#ceilings(),
        points: samples => pointsOf(operators(samples), sample => this.#intensity(sample), sample => this.rows.positive('gb_per_s', sample.shown))},
      {kind: 'treemap', id: 'operators', title: 'Operators by recorded time', caption: 'An area is the baseline’s time of all recorded calls, a colour the speedup over it: blue is faster, orange slower. A click shows the operator alone.',
        cells: samples => cellsOf(operators(samples), sample => sample.baseline === null ? 0 : sample.baseline * sample.calls, sample => sample.speedup), text: ratioText},
      {kind: 'bars', id: 'phases', title: 'Networks: phases', caption: 'Median time of each phase of a run.', axis: 'ms', isStacked: true,
        bars: samples => this.#bars(networks(samples), row => this.#phases(row))},
      {kind: 'bars', id: 'memory', title: 'Networks: memory', caption: 'The most that tensors take in a run.', axis: 'MB',
        bars: samples => this.#bars(networks(samples), row => [['allocated', (this.rows.positive('memory.allocated', row) ?? 0) / 1e6]])},
      {kind: 'bars', id: 'percentiles', title: 'Networks: percentiles', caption: 'Times of whole runs.', axis: 'ms',
        bars: samples => this.#bars(networks(samples), row => [['median', 'median_us'], ['90%', 'p90_us'], ['95%', 'p95_us'], ['99%', 'p99_us']]
          .map(([name, field]) => [name, (this.rows.positive(field, row) ?? 0) / 1e3]))},
    ];
  }

  /** Samples without arithmetic have an intensity that a logarithmic axis can show. */
  #intensity(sample) {
    const least = 0.01;
    return sample.bytes === null ? null : Math.max(least, (this.rows.positive('flops', sample.first) ?? 0) / sample.bytes);
  }

  #ceilings() {
    const lines = [];
    const peak = this.#highest('peak_gflops');
    for (const name of ['copy', 'read']) {
      const rate = this.#highest(`${name}_gb_per_s`);
      if (rate !== null) lines.push({name: `${name}: ${digits(rate, 4)} GB/s`, points: rate});
    }
    if (peak !== null) lines.push({name: `arithmetic: ${digits(peak, 4)} GFLOP/s`, points: intensity => peak / intensity});
    return lines;
  }

  #phases(row) {
    const phases = this.rows.value('phases', row);
    if (!Array.isArray(phases) || phases.length === 0) return [['run', (this.rows.positive('median_us', row) ?? 0) / 1e3]];
    return phases.map(phase => [String(phase?.name), Number.isFinite(phase?.median_us) ? phase.median_us / 1e3 : 0]);
  }

  /** A bar for each network and contender; `seriesOf` a row: names and lengths. */
  #bars(samples, seriesOf) {
    const labels = [], series = new Map();
    for (const sample of samples)
      for (const row of sample.lines) {
        for (const [name, length] of seriesOf(row)) {
          if (!series.has(name)) series.set(name, []);
          series.get(name)[labels.length] = length;
        }
        labels.push(`${sample.op.replace(/^(model|rnn)\./, '')} · ${this.rows.text('contender', row)}`);
      }
    return {labels, series};
  }

  detail(sample) {
    const rows = this.rows, row = sample.shown;
    const parts = [element('h2', {}, sample.op), element('pre', {}, rows.text('sample', sample.first))];
    const section = (title, ...content) => parts.push(element('h3', {}, title), ...content);
    section('Times', this.#timesTable(sample));
    for (const each of sample.lines) {
      const reason = rows.text('reason', each);
      if (reason) parts.push(element('p', {}, `${rows.text('contender', each)}: ${reason}`));
    }
    for (const [title, field] of [['Schedule', 'schedule'], ['Library call', 'library'], ['Case', 'case']])
      if (rows.text(field, row)) section(title, element('pre', {}, rows.text(field, row)));
    const accuracy = this.#fields(row, name => name.startsWith('accuracy.') || ['determinism', 'trivial_solution', 'data', 'retried'].includes(name));
    if (accuracy) section('Accuracy', accuracy);
    const stages = rows.value('stages', row);
    if (Array.isArray(stages)) {
      section('Stages');
      for (const stage of stages)
        if (Array.isArray(stage)) parts.push(element('details', {}, element('summary', {}, String(stage[0])), element('pre', {}, String(stage[1]))));
    }
    const command = this.#reproCommand(row);
    if (command) section('Reproduce, with every stage', commandOf(command));
    parts.push(element('details', {}, element('summary', {}, 'All fields'), this.#fields(row, name => name !== 'stages')));
    return parts;
  }

  /** From the line of results that says it, else from the line that recorded it; empty where neither is known. */
  #reproCommand(row) {
    const text = name => this.rows.text(name, row);
    if (text('results')) return `opbench repro ${quoted(`${text('results')}:${text('results_line')}`)}`;
    if (!text('file') || text('file').startsWith('-') || !this.rows.positive('line', row)) return '';
    return `opbench repro ${quoted(`${text('file')}:${text('line')}`)} --dtype ${quoted(text('dtype'))} --seed ${this.rows.number('seed', row) ?? 0}`;
  }

  #timesTable(sample) {
    const rows = this.rows;
    const secondary = rows.names.includes('throughput_us') ? 'throughput' : 'cold';
    const interval = row => intervalText(rows.number('speedup_low', row), rows.number('speedup_high', row));
    const compiled = row => (rows.number('kernels', row) ? `${digits(rows.number('compile_ms', row) ?? 0, 3)} ms` : none);
    const lines = {
      status: row => rows.text('status', row),
      time: row => timeText(rows.positive('median_us', row)),
      speedup: row => (row === sample.first ? none : ratioText(rows.positive('speedup', row))),
      '95% interval': row => (row === sample.first ? none : interval(row) || none),
      [`${secondary} time`]: row => timeText(rows.positive(`${secondary}_us`, row)),
      [`${secondary} speedup`]: row => (row === sample.first ? none : ratioText(rows.positive(`${secondary}_speedup`, row))),
      SOL: row => percentText(rows.number('of_roofline', row)),
      'kernels generated': row => rows.text('kernels', row) || none,
      'compiled in': compiled,
    };
    return tableOf(['', ...sample.lines.map(row => rows.text('contender', row))],
      Object.entries(lines).map(([name, textOf]) => [name, ...sample.lines.map(textOf)]));
  }

  #fields(row, isWanted) {
    const names = this.rows.names.filter(name => isWanted(name) && this.rows.text(name, row) !== '');
    return names.length === 0 ? null : tableOf(null, names.map(name => [name.replace(/^accuracy\./, ''), this.rows.text(name, row)]));
  }
}

function toneOfState(state) {
  if (state === 'faster' || state === 'FAST') return 'good';
  if (['ok', 'same', 'no measurable difference', 'New', 'new'].includes(state)) return '';
  return ['slower', 'unsupported', 'skipped', 'oom'].includes(state) || state.startsWith('ambiguous') ? 'warning' : 'bad';
}

/** Points of a scatter, of the samples that have both. */
function pointsOf(samples, x, y) {
  const points = [];
  for (const sample of samples) {
    const point = {x: x(sample), y: y(sample), sample};
    if (point.x !== null && point.y !== null) points.push(point);
  }
  return points;
}

/** Cells of a treemap: the samples by operator, with their weights and the geometric mean of their ratios. */
function cellsOf(samples, weight, ratio) {
  const cells = new Map();
  for (const sample of samples) {
    const cell = cells.get(sample.op) ?? {name: sample.op, weight: 0, logs: 0, ratios: 0, samples: 0};
    cells.set(sample.op, cell);
    cell.weight += weight(sample);
    cell.samples += 1;
    if (ratio(sample) === null) continue;
    cell.logs += Math.log(ratio(sample));
    cell.ratios += 1;
  }
  return [...cells.values()].filter(cell => cell.weight > 0)
    .map(cell => ({...cell, ratio: cell.ratios > 0 ? Math.exp(cell.logs / cell.ratios) : null, weightText: timeText(cell.weight)}));
}

function tableOf(headings, lines) {
  const row = (tag, cells) => element('tr', {}, ...cells.map((cell, i) => element(i === 0 ? 'th' : tag, {}, cell)));
  return element('table', {}, headings && element('thead', {}, row('th', headings)), element('tbody', {}, ...lines.map(line => row('td', line))));
}

/** A word of a shell's command line. */
const quoted = word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** A command, and a button that copies it. */
function commandOf(command) {
  const copy = element('button', {type: 'button'}, 'Copy');
  copy.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(command);
      copy.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(copy.previousSibling);
    }
  });
  return element('div', {}, element('pre', {className: 'command'}, command), copy);
}
