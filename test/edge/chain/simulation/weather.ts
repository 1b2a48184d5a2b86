/** The faults of a seed's endpoints. */
import { BLOCKS_RETAINED } from '../../../../shared/limits.ts'
import type { ChainNode } from '../../../doubles/chain-node/chain-node.ts'
import type { View } from '../../../doubles/chain-node/chain-view.ts'
import { type Faults, LOG_FAULTS, REQUEST_FAULTS } from '../../../doubles/chain-node/faults.ts'
import type { ScriptedChain } from '../../../doubles/chain-node/scripted-chain.ts'
import type { Random } from '../../../origin/credits/simulation/random.ts'

/** `hang` would need the clock to advance; `timeout` has the same effect immediately. */
const REQUESTS = REQUEST_FAULTS.filter((fault) => fault !== 'hang')

/** The maximum lag of a node in blocks. A larger lag is detected in other ways. */
const LAG_MAX = 4

/**
 * The number of stored blocks, minus those that a reorg may remove. Logs that are left out further down are never
 * detected.
 */
const NEAR_HEAD = BLOCKS_RETAINED - 56

const PLANS = [
  {},
  {},
  { blocks: 5, words: 'quicknode' },
  { blocks: 10, words: 'alchemy' },
  { blocks: 500, logs: 20, words: 'infura' },
  { blocks: 10, words: 'none' },
  { batch: 1 },
] as const

/** Sets the permanent properties of a provider. */
export function settle(node: ChainNode, random: Random): void {
  node.limits = { ...random.pick(PLANS) }
  node.tellsBlockTime = random.chance(0.5)
  node.leavesOutWithin = NEAR_HEAD
}

/** Changes one endpoint: a new fault, another view of the chain, or back to normal. */
export function changeWeather(node: ChainNode, chain: ScriptedChain, random: Random): string {
  const kind = random.pick(['well', 'request', 'request', 'logs', 'logs', 'views', 'views', 'down'])
  node.faults = {}
  node.views = [{ lag: 0 }]
  switch (kind) {
    case 'request': {
      const fault = random.pick(REQUESTS)
      node.faults = { [fault]: random.pick([0.2, 0.6]) } satisfies Faults
      return fault
    }
    case 'logs': {
      const fault = random.pick([
        ...LOG_FAULTS,
        'missingBlocks',
        'failedQuestion',
        'wrongChain',
      ] as const)
      node.faults = { [fault]: random.pick([0.3, 1]) } satisfies Faults
      return fault
    }
    case 'views':
      node.views = views(chain, random)
      return `views ${JSON.stringify(node.views)}`
    case 'down':
      node.faults = { refused: 1 }
      return 'down'
  }
  return 'well'
}

export function clear(node: ChainNode): void {
  node.faults = {}
  node.views = [{ lag: 0 }]
}

function views(chain: ScriptedChain, random: Random): View[] {
  const orphan = chain.orphans().at(0)
  return Array.from({ length: random.integer(1, 3) }, () =>
    orphan && random.chance(0.25)
      ? { fork: orphan.hash }
      : { lag: random.pick([0, 0, 1, 2, LAG_MAX]) },
  )
}
