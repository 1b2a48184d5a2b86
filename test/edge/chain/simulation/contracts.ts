/** The contracts and events of the simulated chain, and the expected decoding of each log. */
import { getAddress, keccak256, toUtf8Bytes } from 'ethers'
import type { LogFilter } from '../../../../edge/chain/matching/log-filter.ts'
import type { ScriptedLog } from '../../../doubles/chain-node/scripted-block.ts'
import type { Random } from '../../../origin/credits/simulation/random.ts'

export const CONTRACTS = ['aa', 'bb', 'cc'].map((byte) => `0x${byte.repeat(20)}`)

/** Only a few addresses, so that filters on them match some logs and miss others. */
const PEOPLE = ['01', '02', '03'].map((byte) => `0x${byte.repeat(20)}`)

const word = (value: number | bigint) => value.toString(16).padStart(64, '0')
const topicOf = (address: string) => `0x${address.slice(2).padStart(64, '0')}`

type Emitted = { topics: string[]; data: string; decoded: Record<string, unknown> }

export type ContractEvent = {
  /** As an owner would write it. */
  signature: string
  topic0: string
  /** @param value unique to this log, unless it is meant to be identical to another log */
  emit(random: Random, value: number): Emitted
  /** Topic filters that an owner may set after the first topic. */
  filters: readonly LogFilter['topics'][]
  /** Conditions that an owner may set on the decoded values. */
  conditions: readonly Conditions[]
}

/** A value of `config.where`, and whether it holds for the expected decoding of a log. */
export type Conditions = {
  where: Record<string, Record<string, unknown>>
  holds: (decoded: Record<string, unknown>) => boolean
}

const hashOf = (canonical: string) => keccak256(toUtf8Bytes(canonical))

export const EVENTS: readonly ContractEvent[] = [
  {
    signature: 'Transfer(address indexed from, address indexed to, uint256 value)',
    topic0: hashOf('Transfer(address,address,uint256)'),
    emit(random, value) {
      const [from, to] = [random.pick(PEOPLE), random.pick(PEOPLE)]
      return {
        topics: [topicOf(from), topicOf(to)],
        data: `0x${word(value)}`,
        decoded: { arg0: getAddress(from), arg1: getAddress(to), arg2: String(value) },
      }
    },
    filters: [[], [], [[topicOf(PEOPLE[0]!)]], [null, [topicOf(PEOPLE[1]!), topicOf(PEOPLE[2]!)]]],
    conditions: [
      {
        where: { from: { in: [PEOPLE[0], PEOPLE[2]] } },
        holds: ({ arg0 }) => arg0 !== getAddress(PEOPLE[1]!),
      },
      {
        where: { value: { gte: '20' }, to: { not_in: [PEOPLE[0]] } },
        holds: ({ arg1, arg2 }) => Number(arg2) >= 20 && arg1 !== getAddress(PEOPLE[0]!),
      },
    ],
  },
  {
    signature: 'Noted(int64,bool)',
    topic0: hashOf('Noted(int64,bool)'),
    emit(random, value) {
      const isTrue = random.chance(0.5)
      return {
        topics: [],
        data: `0x${word((1n << 256n) - BigInt(value + 1))}${word(isTrue ? 1 : 0)}`,
        decoded: { arg0: String(-value - 1), arg1: isTrue },
      }
    },
    filters: [[]],
    conditions: [
      { where: { arg0: { lt: '-10' } }, holds: ({ arg0 }) => Number(arg0) < -10 },
      { where: { arg1: { eq: true } }, holds: ({ arg1 }) => arg1 === true },
    ],
  },
  {
    signature: 'Tagged(uint8 indexed tag, uint256 value)',
    topic0: hashOf('Tagged(uint8,uint256)'),
    emit(random, value) {
      const tag = random.integer(0, 2)
      return {
        topics: [`0x${word(tag)}`],
        data: `0x${word(value)}`,
        decoded: { arg0: String(tag), arg1: String(value) },
      }
    },
    filters: [[], [[`0x${word(1)}`, `0x${word(2)}`]]],
    conditions: [{ where: { tag: { lte: '1' } }, holds: ({ arg0 }) => Number(arg0) <= 1 }],
  },
]

/** Names one of the contracts as new. */
export const FACTORY = {
  address: `0x${'fa'.repeat(20)}`,
  event: 'Made(address indexed made)',
  topic0: hashOf('Made(address)'),
}

/** Generates logs and their expected decoding. */
export class Traffic {
  readonly #random: Random
  /** Draws logs of the factory. Absent for seeds that are older than factories. */
  readonly #creations: Random | undefined
  readonly #decoded = new Map<string, Record<string, unknown>>()
  #values = 0
  #last: ScriptedLog | undefined

  constructor(random: Random, creations?: Random) {
    this.#random = random
    this.#creations = creations
  }

  /** Sometimes repeats the previous log: two events that differ only in their position. */
  log(): ScriptedLog {
    if (this.#last && this.#random.chance(0.15)) return this.#last
    const event = this.#random.pick(EVENTS)
    const { topics, data, decoded } = event.emit(this.#random, this.#values++)
    this.#last = {
      address: this.#random.pick(CONTRACTS),
      topics: [event.topic0, ...topics],
      data,
    }
    this.#decoded.set(data + topics.join(), decoded)
    return this.#last
  }

  /** Returns the logs of one transaction. */
  logs(): ScriptedLog[] {
    const count = this.#random.pick([1, 1, 1, 2, 3])
    const logs = Array.from({ length: count }, () => this.log())
    const creations = this.#creations
    if (creations?.chance(0.08))
      logs.splice(creations.integer(0, logs.length), 0, {
        address: FACTORY.address,
        topics: [FACTORY.topic0, topicOf(creations.pick(CONTRACTS))],
        data: '0x',
      })
    return logs
  }

  decodedOf(log: { topics: readonly string[]; data: string }): Record<string, unknown> {
    return this.#decoded.get(log.data + log.topics.slice(1).join())!
  }
}
