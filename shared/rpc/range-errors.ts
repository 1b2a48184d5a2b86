/**
 * Detects errors that mean that an `eth_getLogs` request covers too many blocks, logs or addresses. Errors are
 * recognized by their text, because codes such as -32005 and -32602 also occur for other failures. Numbers in the text
 * are used only as hints.
 */
import type { RpcError } from './json-rpc.ts'

/**
 * Matches an inclusive range suggested by Alchemy, Infura and providers built on them (such as zkSync): `[0x.., 0x..]`.
 */
const SUGGESTED_HEX = /(?:should work|block range):?\s*\[\s*0x([0-9a-f]+),\s*0x([0-9a-f]+)\s*\]/i

/** Matches a decimal range suggested by reth. */
const SUGGESTED = /retry with the range (\d+)\s*-\s*(\d+)/i

/** Error texts that state the accepted number of blocks. The comments name the providers that send them. */
const WITH_BLOCKS: readonly RegExp[] = [
  /max range: ([\d,.]+k?)/i, // Cloudflare
  /maximum allowed number of requested blocks is ([\d,.]+)/i, // thirdweb
  /limited to (?:a )?([\d,.]+k?)[ -]?(?:blocks?|range)/i, // QuickNode, 1rpc, blockpi, Blast
  /limited to 0 - ([\d,.]+) blocks? range/i, // 1rpc, newer version
  /up to an? ([\d,.]+k?) block range/i, // Alchemy without a suggestion, Aurora
  /range allowed for your plan \([\d,.]+ > ([\d,.]+)\)/i, // Blast, paid plans
  /at most ([\d,.]+k?) blocks/i, // Coinbase
  /maximum block range:? ([\d,.]+k?)/i, // publicnode, BSC's geth
  /exceeds? (?:the )?max(?:imum)? block range:? ([\d,.]+)/i, // reth, Hyperliquid
  // Infura since 2026
  /range (?:of )?[\d,.]+ (?:blocks )?exceeds (?:the )?(?:limit|maximum)(?: of|:)? ([\d,.]+)/i,
  /block range (?:is )?greater than ([\d,.]+) max/i, // Swell
  /block range exceeds ([\d,.]+)/i, // Somnia
  /block range (?:is )?too (?:wide|large)[^\d]*\(?maximum:? ([\d,.]+)\)?/i, // Moonbeam, Frontier
  /max(?:imum)?(?: block range)? is (?:set to )?([\d,.]+k?)/i, // Merkle, Avalanche, Polygon (bor)
  /must be smaller than size ([\d,.]+)/i, // Harmony
  /blocks distance: ([\d,.]+)/i, // Ankr, Cosmos chains
  /ranges over ([\d,.]+k?) blocks/i, // dRPC
  /narrow your filter: ([\d,.]+)/i, // Erigon
  /(?:limit|maximum|max)(?: of)?:? ([\d,.]+k?) blocks/i, // LlamaRPC, GetBlock, NodeReal, Tenderly
  /blocks? range,? (?:the )?limit(?: is|:)? ([\d,.]+)/i, // SimplyVC
]

const WITHOUT_BLOCKS: readonly RegExp[] = [
  /query returned more than [\d,.]+ results/i, // Infura, Polygon zkEVM, geth behind many providers
  /exceeds? max(?:imum)? (?:results|logs|block range)/i, // reth, LlamaRPC, Ankr
  /logs matched by query exceeds limit/i, // Arbitrum
  /too many logs/i, // Erigon
  // Alchemy, 1rpc
  /(?:log )?response (?:size |is )?(?:should not greater than|exceeded|too (?:large|big)|exceeds)/i,
  /(?:backend )?response too large|result(?:s|set)? (?:is |set )?too (?:large|big)/i, // Optimism, geth (-32003)
  /response size (?:is larger|should not|exceed|limit)/i, // Ankr, GetBlock
  /block range (?:is |are )?(?:too (?:wide|large|big)|bigger than|exceed)/i, // Ankr, Optimism, Base, Scroll
  /range (?:is )?too (?:wide|large|big)/i,
  /(?:range|logs?) limit exceeded|range exceeds/i, // Chainstack, Besu
  /exceed(?:s|ed)?(?: the)?(?: server| maximum| max| allowed)? (?:block )?range/i, // Blast
  /too wide blocks? range/i, // SimplyVC
  /too many results/i,
  /too many blocks|blocks? (?:count|number) (?:is )?too (?:large|big|many)/i, // Avalanche, Conflux
  // geth, Infura, BSC
  /query (?:timeout|timed out)|(?:execution|request) (?:timeout|timed out)|context deadline exceeded|took too long/i,
  // dRPC, publicnode, Coinbase
  /query (?:is )?too (?:large|expensive|complex)|please (?:reduce|narrow|limit|decrease)/i,
  /no backend is currently healthy to serve traffic/i, // Base's proxy, for ranges that its nodes reject
]

/** Matches errors whose number counts logs, not blocks. */
const NOT_OF_BLOCKS = /too many logs/i

const TOO_LONG = 413

type RangeRejection = { blocks: number | undefined }

/**
 * Detects an error that asks for a smaller range of blocks.
 * @param requested number of blocks that were requested; a hint is ignored unless it is smaller
 */
export function rangeRejection(
  { code, message, data }: RpcError,
  requested: number,
): RangeRejection | undefined {
  const text =
    typeof data === 'string' ? `${message} ${data}` : `${message} ${suggestedRange(data)}`
  const hint = acceptedBlocks(text)
  const isRangeError =
    hint !== undefined || code === TOO_LONG || WITHOUT_BLOCKS.some((pattern) => pattern.test(text))
  if (!isRangeError) return undefined
  return { blocks: hint !== undefined && hint >= 1 && hint < requested ? hint : undefined }
}

function acceptedBlocks(text: string): number | undefined {
  const inHex = SUGGESTED_HEX.exec(text)
  if (inHex) return Number(`0x${inHex[2]}`) - Number(`0x${inHex[1]}`) + 1
  const suggested = SUGGESTED.exec(text)
  if (suggested) return Number(suggested[2]) - Number(suggested[1]) + 1
  if (NOT_OF_BLOCKS.test(text)) return undefined
  for (const pattern of WITH_BLOCKS) {
    const match = pattern.exec(text)
    if (match) return numberOf(match[1]!)
  }
  return undefined
}

/** Converts Infura's suggestion in `data: {from, to}` to text that the patterns match. */
function suggestedRange(data: unknown): string {
  if (typeof data !== 'object' || data === null) return ''
  const { from, to } = data as { from?: unknown; to?: unknown }
  return isBlock(from) && isBlock(to) ? `block range [${from}, ${to}]` : ''
}

/** The length is limited, because the patterns are matched against the text. */
function isBlock(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 18
}

/** Parses a number such as `10,000`, `10.000` or `10k`. */
function numberOf(text: string): number {
  const digits = Number(text.replace(/[^\d]/g, ''))
  return /k$/i.test(text) ? digits * 1000 : digits
}

type PositionRejection = { of: 'addresses' | 'topics' | 'either'; most: number | undefined }

/**
 * Detects an error that asks for fewer addresses or topics. `most` is undefined if the provider does not state a limit.
 */
export function positionRejection({ message }: RpcError): PositionRejection | undefined {
  // Infura counts addresses and topics together.
  const filters = /contains \d+ filters\. The current limit is (\d+)/i.exec(message)?.[1]
  if (filters !== undefined) return { of: 'either', most: Number(filters) }
  const addresses = /\baddress(?:es)?\b/i.test(message)
  const topics = /\btopics\b/i.test(message)
  if ((!addresses && !topics) || /\bip\b|\brate\b|requests/i.test(message)) return undefined
  // Matches errors of geth ("exceed max addresses or topics per search position"), publicnode ("specify less number of
  // addresses") and others.
  const limitPattern =
    /exceed|too many|max(?:imum)?|limit|up to|at most|more than|less number|fewer/i
  if (!limitPattern.test(message)) return undefined
  const number = /(?:max(?:imum)?|limit|up to|at most|more than)[^\d]{0,30}(\d+)/i.exec(
    message,
  )?.[1]
  return {
    of: addresses && topics ? 'either' : addresses ? 'addresses' : 'topics',
    most: number === undefined ? undefined : Number(number),
  }
}
