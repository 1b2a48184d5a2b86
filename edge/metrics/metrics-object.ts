export interface MetricsObject {
  add(batch: [string, number][]): Promise<void>
  /** Sums by series. Includes the number of triggers in the index, unless the query to D1 fails. */
  read(): Promise<Map<string, number>>
}
