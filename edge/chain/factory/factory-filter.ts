/** Event that announces new contracts. Stored as JSON with the subscription. */
export type FactoryFilter = {
  /** Contract that emits the event, in lower case. */
  address: string
  topic0: string
  /** Signature of the event. It determines which arguments are indexed. */
  signature: string
  /** Position of the argument that is the new contract. */
  argument: number
}
