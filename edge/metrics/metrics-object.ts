export interface MetricsObject {
  add(batch: [string, number][]): Promise<void>
  /** Includes the numbers of triggers in the index, unless the query to D1 fails. */
  read(): Promise<Map<string, number>>
}
