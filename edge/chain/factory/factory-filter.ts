/** Event by which contracts are learned. Stored as JSON with the subscription. */
export type FactoryFilter = {
  /** Contract that emits the event, in lower case. */
  address: string
  topic0: string
  /** Signature of the event, which leaves no doubt about its indexed arguments. */
  signature: string
  /** Position of the argument that is the new contract. */
  argument: number
}
