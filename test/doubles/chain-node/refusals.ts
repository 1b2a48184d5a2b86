import type { PlanLimits } from './faults.ts'
import { quantity } from './scripted-block.ts'

export type RpcError = { code: number; message: string }

/** Error of a provider for a block range that is too long. */
export function rangeRefusal({ words = 'none', blocks = 0 }: PlanLimits, from: number): RpcError {
  const through = quantity(from + blocks - 1)
  switch (words) {
    case 'alchemy':
      return {
        code: -32600,
        message: `Under the Free tier plan, you can make eth_getLogs requests with up to a ${blocks} block range. Based on your parameters, this block range should work: [${quantity(from)}, ${through}]. Upgrade to PAYG for expanded block range.`,
      }
    case 'infura':
      return {
        code: -32005,
        message: `query returned more than 10000 results. Try with this block range [${quantity(from)}, ${through}].`,
      }
    case 'quicknode':
      return { code: -32614, message: `eth_getLogs is limited to a ${blocks} range` }
    case 'none':
      return { code: -32602, message: 'block range is too wide' }
  }
}

/** Error of a provider for too many logs. */
export function countRefusal(
  { words = 'none', logs = 0 }: PlanLimits,
  from: number,
  through: number,
): RpcError {
  const range = `[${quantity(from)}, ${quantity(through)}]`
  switch (words) {
    case 'alchemy':
      return {
        code: -32602,
        message: `Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: ${range}`,
      }
    case 'infura':
      return {
        code: -32005,
        message: `query returned more than ${logs} results. Try with this block range ${range}.`,
      }
    case 'quicknode':
    case 'none':
      return { code: -32005, message: `query returned more than ${logs} results` }
  }
}
