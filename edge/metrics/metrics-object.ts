/** RPC interface of the Durable Object that sums the counts of all isolates. */
export interface MetricsObject {
  /** Adds the counts that an isolate has collected since its last flush. */
  add(batch: [string, number][]): Promise<void>
  /** Returns all sums by series. Includes the number of triggers in the index, unless the query to D1 fails. */
  read(): Promise<Map<string, number>>
}
