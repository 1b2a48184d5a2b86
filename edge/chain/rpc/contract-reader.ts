/** What a preview reads of a chain beside its logs. */
export interface ContractReader {
  /** Whether a contract is at an address, by the latest block. @throws {ChainAway} */
  hasCode(address: string): Promise<boolean>
}
