/** Chain reads that a preview needs in addition to logs. */
export interface ContractReader {
  /**
   * Returns true if the address has code at the latest block.
   * @throws {ChainAway}
   */
  hasCode(address: string): Promise<boolean>
}
