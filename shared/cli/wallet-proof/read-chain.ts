import { Interface, toBeHex } from 'ethers'
import { accountConfigAbi } from '../../abi/account-config.ts'
import type { WalletStatement } from '../../receipts/wallet-statement.ts'
import { callNode, type Node, NodeError } from '../verify/node.ts'
import type { ChainFacts, PolicyEvent, RecordedPolicy } from './bundle.ts'

const contractCoding = new Interface(accountConfigAbi)
const POLICY_SET = contractCoding.getEvent('WalletPolicySet')!.topicHash

/** Far more than the events of one wallet take. */
const RESPONSE_MAX_BYTES = 4 * 1024 * 1024

/** Minimum range of `eth_getLogs`. Smaller ranges would take too many requests. */
const RANGE_MIN_BLOCKS = 500

/**
 * Reads the record of a wallet's policy in the contract, and all events of the policy, as of the latest block.
 * @throws {NodeError}
 */
export async function readChain(
  { url, fetch }: Pick<Node, 'url' | 'fetch'>,
  statement: WalletStatement,
): Promise<ChainFacts> {
  const node: Node = { url, fetch, maxBytes: RESPONSE_MAX_BYTES }
  const chainId = Number(quantity(await callNode(node, 'eth_chainId', [])))
  const block = await latestBlock(node)
  const record = await recordAt(node, statement, block.number)
  const events = await eventsUntil(node, statement, block.number)
  return { chain_id: chainId, contract: statement.contract.toLowerCase(), block, record, events }
}

async function latestBlock(node: Node): Promise<ChainFacts['block']> {
  const block = fieldsOf(await callNode(node, 'eth_getBlockByNumber', ['latest', false]))
  return {
    number: Number(quantity(block['number'])),
    hash: hex(block['hash']),
    timestamp: Number(quantity(block['timestamp'])),
  }
}

async function recordAt(
  node: Node,
  { contract, account_hash, pkp_id }: WalletStatement,
  block: number,
): Promise<RecordedPolicy> {
  const data = contractCoding.encodeFunctionData('walletPolicyOf', [account_hash, pkp_id])
  const call = [{ to: contract, data }, toQuantity(block)]
  const answer = hex(await callNode(node, 'eth_call', call))
  const [view] = decoded(() => contractCoding.decodeFunctionResult('walletPolicyOf', answer))
  const hasPending = Number(view.pendingAt) > 0
  return {
    pkp_id: view.pkpId,
    policy_hash: view.policyHash,
    change_delay_s: Number(view.changeDelay),
    is_immutable: view.isImmutable,
    set_at: Number(view.setAt),
    pending: hasPending
      ? {
          policy_hash: view.pendingHash,
          change_delay_s: Number(view.pendingDelay),
          is_immutable: view.pendingImmutable,
          effective_at: Number(view.pendingAt),
        }
      : null,
  }
}

/**
 * Reads the events backwards from the latest block until the registration of the wallet. Halves the range of a request
 * after an error, because many nodes limit it.
 */
async function eventsUntil(
  node: Node,
  { contract, account_hash, pkp_id }: WalletStatement,
  latest: number,
): Promise<PolicyEvent[]> {
  const events: PolicyEvent[] = []
  let [to, range] = [latest, latest + 1]
  while (to >= 0) {
    const from = Math.max(0, to - range + 1)
    const topics = [POLICY_SET, account_hash, pkp_id]
    const filter = {
      address: contract,
      topics,
      fromBlock: toQuantity(from),
      toBlock: toQuantity(to),
    }
    let logs
    try {
      logs = await callNode(node, 'eth_getLogs', [filter])
    } catch (error) {
      if (!(error instanceof NodeError) || range <= RANGE_MIN_BLOCKS) throw error
      range = Math.max(RANGE_MIN_BLOCKS, Math.ceil(range / 2))
      continue
    }
    if (!Array.isArray(logs)) throw new NodeError('the node’s logs are not a list')
    events.unshift(...logs.map(eventOf))
    if (events.some(({ replaces }) => BigInt(replaces) === 0n)) return events
    to = from - 1
  }
  return events
}

function eventOf(log: unknown): PolicyEvent {
  const fields = fieldsOf(log)
  const topics: unknown = fields['topics']
  const parsed = decoded(() => {
    const data = hex(fields['data'])
    return contractCoding.parseLog({ topics: (topics as unknown[]).map(hex), data })!.args
  })
  return {
    contract: hex(fields['address']),
    account_hash: toBeHex(parsed.accountHash, 32),
    pkp_id: parsed.pkpId,
    replaces: parsed.replaces,
    policy_hash: parsed.policyHash,
    change_delay_s: Number(parsed.changeDelay),
    is_immutable: parsed.isImmutable,
    set_at: Number(parsed.setAt),
    effective_at: Number(parsed.effectiveAt),
    block_number: Number(quantity(fields['blockNumber'])),
    transaction_hash: hex(fields['transactionHash']),
    log_index: Number(quantity(fields['logIndex'])),
  }
}

/** Converts errors of the decoder. @throws {NodeError} */
function decoded(decode: () => any): any {
  try {
    return decode()
  } catch (error) {
    throw new NodeError('the node’s response does not come from the contract', { cause: error })
  }
}

const fieldsOf = (value: unknown): Record<string, unknown> => {
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  throw new NodeError('the node’s response is not an object')
}

function hex(value: unknown): string {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]*$/.test(value)) return value.toLowerCase()
  throw new NodeError('the node’s response is not hex')
}

const quantity = (value: unknown): bigint => BigInt(hex(value))

const toQuantity = (number: number) => `0x${number.toString(16)}`
