'use strict';
// A table of thousands of rows, of which only those in sight are elements.

class Table {
  /** `columns`: {name, title, width, value(sample), show(value), text(sample), tone(sample)}; `onOpen` is called with a sample. */
  constructor(container, columns, onOpen) {
    this.container = container;
    this.columns = columns;
    this.onOpen = onOpen;
    this.shown = [];
    this.active = 0;
    this.opened = null;
    this.sort = {name: null, descending: false};
    this.rowHeight = 27;
    this.head = element('tr', {role: 'row'});
    this.body = element('tbody', {role: 'rowgroup'});
    const total = columns.reduce((sum, column) => sum + column.width, 0);
    const widths = columns.map(column => {
      const made = element('col');
      made.style.width = `${(100 * column.width) / total}%`;
      return made;
    });
    container.append(element('table', {role: 'presentation'}, element('colgroup', {}, ...widths), element('thead', {role: 'rowgroup'}, this.head), this.body));
    for (const column of columns) this.head.append(this.#heading(column));
    container.addEventListener('scroll', () => this.#draw(), {passive: true});
    container.addEventListener('keydown', event => this.#onKey(event));
    new ResizeObserver(() => this.#draw()).observe(container);
  }

  isNumber(column) {
    return !column.isText && (column.show !== undefined || column.text !== undefined);
  }

  #heading(column) {
    const button = element('button', {type: 'button', textContent: column.title, title: `sort by ${column.title}`});
    button.addEventListener('click', () => {
      const isSame = this.sort.name === column.name;
      this.sortBy({name: column.name, descending: isSame ? !this.sort.descending : this.isNumber(column)});
    });
    const heading = element('th', {role: 'columnheader', className: this.isNumber(column) ? 'number' : 'text'}, button);
    heading.dataset.name = column.name;
    return heading;
  }

  /** Shows these samples, in the order that is asked for. */
  show(samples) {
    this.samples = samples;
    this.#arrange();
  }

  sortBy(sort) {
    this.sort = sort;
    this.#arrange();
  }

  #arrange() {
    const column = this.columns.find(each => each.name === this.sort.name);
    this.shown = this.samples;
    if (column !== undefined) {
      const sign = this.sort.descending ? -1 : 1;
      const keyed = this.samples.map(sample => [column.value(sample), sample]);
      // What has no value stands last, whatever the direction.
      keyed.sort(([a], [b]) => (a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -sign : sign));
      this.shown = keyed.map(([, sample]) => sample);
    }
    for (const heading of this.head.children) {
      const isSorted = heading.dataset.name === column?.name;
      heading.ariaSort = isSorted ? (this.sort.descending ? 'descending' : 'ascending') : null;
      heading.firstChild.textContent = this.columns.find(each => each.name === heading.dataset.name).title +
        (isSorted ? (this.sort.descending ? ' ▾' : ' ▴') : '');
    }
    this.container.ariaRowCount = this.shown.length + 1;
    this.active = Math.max(0, this.shown.findIndex(sample => sample.id === this.opened));
    this.#draw();
  }

  #draw() {
    const margin = 8;
    const first = Math.max(0, Math.floor(this.container.scrollTop / this.rowHeight) - margin);
    const count = Math.ceil(this.container.clientHeight / this.rowHeight) + 2 * margin;
    const last = Math.min(this.shown.length, first + count);
    const rows = [];
    for (let i = first; i < last; ++i) rows.push(this.#row(i));
    this.body.replaceChildren(this.#spacer(first), ...rows, this.#spacer(this.shown.length - last));
    if (this.shown.length > 0) this.container.setAttribute('aria-activedescendant', `row-${this.active}`);
    else this.container.removeAttribute('aria-activedescendant');
  }

  #spacer(rows) {
    const cell = element('td', {colSpan: this.columns.length});
    cell.style.height = `${rows * this.rowHeight}px`;
    const row = element('tr', {className: 'spacer', ariaHidden: 'true'}, cell);
    row.hidden = rows === 0;
    return row;
  }

  #row(i) {
    const sample = this.shown[i];
    const row = element('tr', {role: 'row', id: `row-${i}`, ariaRowIndex: String(i + 2), ariaSelected: String(sample.id === this.opened)});
    row.classList.toggle('active', i === this.active);
    row.classList.toggle('open', sample.id === this.opened);
    for (const column of this.columns) {
      const value = column.value(sample);
      const text = column.text ? column.text(sample) : column.show ? column.show(value) : (value ?? '');
      const tone = column.tone?.(sample) ?? '';
      row.append(element('td', {role: 'gridcell', className: `${this.isNumber(column) ? 'number' : 'text'} ${tone}`,
        title: column.show ? '' : text, textContent: text}));
    }
    row.addEventListener('click', () => {
      this.active = i;
      this.#open(i);
    });
    return row;
  }

  #open(i) {
    this.opened = this.shown[i]?.id ?? null;
    this.#draw();
    this.onOpen(this.shown[i] ?? null);
  }

  close() {
    this.opened = null;
    this.#draw();
  }

  /** Moves to a sample, whether it is in sight or not. */
  reveal(id) {
    const i = this.shown.findIndex(sample => sample.id === id);
    if (i < 0) return;
    this.opened = id;
    this.#moveTo(i);
  }

  #moveTo(i) {
    this.active = Math.max(0, Math.min(this.shown.length - 1, i));
    const {scrollTop, clientHeight} = this.container;
    const headHeight = 31, top = this.active * this.rowHeight, bottom = top + this.rowHeight + headHeight;
    if (top < scrollTop) this.container.scrollTop = top;
    if (bottom > scrollTop + clientHeight) this.container.scrollTop = bottom - clientHeight;
    this.#draw();
  }

  #onKey(event) {
    if (event.target !== this.container) return;
    const page = Math.max(1, Math.floor(this.container.clientHeight / this.rowHeight) - 2);
    const moves = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.shown.length, End: this.shown.length};
    if (event.key in moves) this.#moveTo(this.active + moves[event.key]);
    else if (event.key === 'Enter' || event.key === ' ') this.#open(this.active);
    else return;
    event.preventDefault();
  }
}
