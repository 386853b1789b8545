'use strict';
// The data of the page, statistics over them, and how figures are written.

/** Rows of named fields, kept by column: {each, values, at}. Rows each * i to each * i + each - 1 have value at[i], or, without `at`,
 *  value i. */
class Rows {
  constructor(written) {
    this.length = written.rows;
    this.columns = new Map(Object.entries(written.columns));
  }

  get names() {
    return [...this.columns.keys()];
  }

  /** The value of a field; null where the row has none. */
  value(name, row) {
    const column = this.columns.get(name);
    if (column === undefined) return null;
    const place = Math.floor(row / column.each);
    return column.values[column.at === undefined ? place : column.at[place]] ?? null;
  }

  /** The value of a field as a text; empty where there is none. */
  text(name, row) {
    const value = this.value(name, row);
    return value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  }

  /** The value of a field that is a finite number, else null. */
  number(name, row) {
    const value = this.value(name, row);
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  }

  /** The value of a field that is more than 0, else null. */
  positive(name, row) {
    const value = this.number(name, row);
    return value > 0 ? value : null;
  }
}

/** The value below which a share of sorted values lies. */
function quantile(sorted, share) {
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

/** The geometric mean of positive values with its 95 % interval. Between percentiles of the bootstrap, as in the program's other
 *  reports; of many values the normal distribution tells the same, and at once. */
function geometricMean(values) {
  const leastForInterval = 6, manyValues = 2000, resamples = 1000;
  const count = values.length;
  if (count === 0) return null;
  const logs = values.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / count;
  const result = {ratio: Math.exp(mean), samples: count, low: null, high: null};
  if (count < leastForInterval) return result;
  if (count > manyValues) {
    const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (count - 1);
    const half = 1.96 * Math.sqrt(variance / count);
    return {...result, low: Math.exp(mean - half), high: Math.exp(mean + half)};
  }
  const random = randomNumbers(1);
  const means = Float64Array.from({length: resamples}, () => {
    let sum = 0;
    for (let i = 0; i < count; ++i) sum += logs[Math.floor(random() * count)];
    return sum / count;
  }).sort();
  return {...result, low: Math.exp(quantile(means, 0.025)), high: Math.exp(quantile(means, 0.975))};
}

/** Numbers in [0, 1) that are the same each time (mulberry32). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4294967296;
  };
}

const none = '–';

function digits(value, most) {
  return value === 0 ? '0' : Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(most);
}

/** A quantity with the largest of these units that leaves at least 1 before it. */
function scaled(value, units) {
  if (value === null) return none;
  const [unit, size] = units.find(([, least]) => Math.abs(value) >= least) ?? units[units.length - 1];
  return `${digits(value / size, 3)} ${unit}`;
}

const timeText = microseconds => scaled(microseconds, [['s', 1e6], ['ms', 1e3], ['us', 1], ['ns', 1e-3]]);
const bytesText = bytes => scaled(bytes, [['GB', 1e9], ['MB', 1e6], ['kB', 1e3], ['B', 1]]);
const countText = count => (count === null ? none : count.toLocaleString('en'));
const ratioText = ratio => (ratio === null ? none : `${ratio.toFixed(2)}x`);
const percentText = share => (share === null ? none : `${Math.round(100 * share)}%`);
const changeText = ratio => (ratio === null ? none : `${ratio >= 1 ? '+' : ''}${(100 * (ratio - 1)).toFixed(1)}%`);

/** The text of a round figure without the zeros behind its point: `1.50x` as `1.5x`. */
const trimmed = text => text.replace(/(\.\d*?)0+(?!\d)/, '$1').replace(/\.(?!\d)/, '');

/** `1.01..1.14x`; empty where there is no interval. */
function intervalText(low, high) {
  return low === null || high === null ? '' : `${low.toFixed(2)}..${high.toFixed(2)}x`;
}

/** The element of a tag with these properties and children. Texts become text, whatever they hold. */
function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children.filter(child => child !== null));
  return made;
}
