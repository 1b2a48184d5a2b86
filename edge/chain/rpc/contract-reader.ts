/** Chain reads that a preview needs in addition to logs. */
export interface ContractReader {
  /**
   * Checks the latest block.
   * @throws {ChainAway}
   */
  hasCode(address: string): Promise<boolean>
}
