/** Rows of numbers in time, the newest `capacity` of them; each column is its own list. */
export class History {
  /** Rows that are shown: all, or those not after `until`. */
  count = 0;
  private readonly columns: Float64Array[];
  private begin = 0;
  private kept = 0;
  private end = Infinity;

  constructor(width: number, private readonly capacity: number) {
    this.columns = Array.from({ length: width }, () => new Float64Array(capacity));
  }

  clear(): void {
    this.begin = this.kept = this.count = 0;
    this.end = Infinity;
  }

  /** Shows nothing later than this; it is kept. */
  set until(time: number) {
    this.end = time;
    this.count = this.kept;
    if (time < this.latest) this.count = this.rowAfter(time);
  }

  /** Adds a row that begins with its time; what is later than it is forgotten. */
  add(row: ArrayLike<number>): void {
    while (this.kept > 0 && this.at(0, this.kept - 1) >= row[0]) --this.kept;
    if (this.kept === this.capacity) {
      this.begin = (this.begin + 1) % this.capacity;
      --this.kept;
    }
    const place = (this.begin + this.kept) % this.capacity;
    this.columns.forEach((column, c) => { column[place] = row[c]; });
    ++this.kept;
    this.until = this.end;
  }

  at(column: number, row: number): number {
    return this.columns[column][(this.begin + row) % this.capacity];
  }

  get latest(): number {
    return this.count > 0 ? this.at(0, this.count - 1) : 0;
  }

  /** First row that is not before this time. */
  rowAt(time: number): number {
    return this.firstWhere((row) => row >= time);
  }

  /** First row that is after this time. */
  private rowAfter(time: number): number {
    return this.firstWhere((row) => row > time);
  }

  private firstWhere(isReached: (time: number) => boolean): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isReached(this.at(0, middle))) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/**
 * The rows since `from` in at most `buckets` pieces: of each piece the row in which `by` is largest,
 * so that peaks stay. Returns row numbers.
 */
export function thinned(history: History, from: number, buckets: number, by: (row: number) => number): number[] {
  const first = history.rowAt(from);
  const rows = history.count - first;
  if (rows <= buckets) return Array.from({ length: rows }, (_, k) => first + k);
  const span = (history.latest - from) / buckets;
  const chosen: number[] = [];
  let bucket = -1;
  for (let row = first; row < history.count; ++row) {
    // pieces of time, at fixed places: a picture does not flicker as it moves on
    const mine = Math.floor(history.at(0, row) / span);
    if (mine !== bucket) {
      bucket = mine;
      chosen.push(row);
    } else if (by(row) > by(chosen[chosen.length - 1])) {
      chosen[chosen.length - 1] = row;
    }
  }
  return chosen;
}
