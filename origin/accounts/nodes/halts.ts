/** Texts of geth, Nethermind, Erigon, Besu, Reth and anvil for a call that was executed, and failed. */
const HALTS =
  /revert|evm error|invalid ?(fe ?)?opcode|opcodenotfound|out ?of ?gas|stack ?(under|over)flow|invalid ?jump|bad ?(instruction|jump)|gas required exceeds|intrinsic gas|floor data gas|write protection/i

/** True if the message of an error means that a call was executed, and failed. Not every such error has data. */
export function saysHalt(message: string): boolean {
  return HALTS.test(message)
}
