import {
  type DisputeFacts,
  type NewIntent,
  type PaymentFacts,
  type PaymentProgress,
  type Processor,
  ProcessorUnavailableError,
  type RefundFacts,
} from '../../../../origin/credits/processor/processor.ts'
import type { Member, Network } from './network.ts'
import type { Random } from './random.ts'

/** A payment in the processor's own books. */
export type Intent = {
  id: string
  accountHash: string
  amountCents: number
  progress: PaymentProgress
  refunds: RefundFacts[]
  disputes: DisputeFacts[]
}

/** A payment processor with its own books. Its events arrive late, twice, in another order, or not at all. */
export class SimulatedProcessor {
  readonly intents = new Map<string, Intent>()
  readonly #byWrite = new Map<string, string>()
  readonly #network: Network
  readonly #random: Random
  readonly #prefix: string
  /**
   * Delivers an event to one of the serving processes.
   * @returns false if it was not accepted
   */
  readonly #deliver: (intentId: string) => Promise<boolean>

  constructor(
    network: Network,
    random: Random,
    prefix: string,
    deliver: (intentId: string) => Promise<boolean>,
  ) {
    this.#network = network
    this.#random = random
    this.#prefix = prefix.replaceAll(/\W/g, '')
    this.#deliver = deliver
  }

  /** The processor as one process reaches it. */
  reachedBy(member: Member): Processor {
    return {
      createCustomer: (accountHash) =>
        this.#asked(member, () => `cus_${accountHash.replaceAll(/\W/g, '')}`),
      createIntent: (intent) => this.#asked(member, () => this.#create(intent)),
      factsOf: (intentId) => this.#asked(member, () => this.#factsOf(intentId)),
    }
  }

  /** Applies the payer's next step. */
  pay(id: string, progress: PaymentProgress): void {
    const intent = this.intents.get(id)!
    if (intent.progress === 'paid' || intent.progress === 'canceled') return
    intent.progress = progress
    this.#changed(intent, progress)
  }

  /** Refunds or disputes a payment, or reverses a refund or a dispute. */
  comesBack(id: string): void {
    const intent = this.intents.get(id)!
    if (intent.progress !== 'paid') return
    const { refunds, disputes, amountCents } = intent
    const refunded = refunds.reduce(
      (sum, { cents, failed: returned }) => sum + (returned ? 0 : cents),
      0,
    )
    const acts = [
      () => {
        const cents = this.#random.integer(1, Math.max(1, amountCents - refunded))
        if (refunded + cents > amountCents) return
        refunds.push({ id: `re_${this.#prefix}${id}${refunds.length}`, cents, failed: false })
      },
      () => {
        const open = refunds.findIndex(({ failed: returned }) => !returned)
        if (open >= 0) refunds[open] = { ...refunds[open]!, failed: true }
      },
      () => {
        const cents = this.#random.chance(0.6) ? amountCents : this.#random.integer(1, amountCents)
        const withdrawn = this.#random.chance(0.8)
        disputes.push({
          id: `du_${this.#prefix}${id}${disputes.length}`,
          cents,
          withdrawn,
          reinstatedCents: 0,
        })
      },
      () => {
        const open = disputes.findIndex(({ reinstatedCents }) => reinstatedCents === 0)
        const dispute = disputes[open]
        if (!dispute) return
        // An inquiry becomes a dispute, or a dispute is won in full or in part.
        const { cents } = dispute
        const reinstatedCents = this.#random.chance(0.6) ? cents : this.#random.integer(1, cents)
        disputes[open] = dispute.withdrawn
          ? { ...dispute, reinstatedCents }
          : { ...dispute, withdrawn: true }
      },
    ]
    this.#random.pick(acts)()
    this.#changed(intent, 'money went back')
  }

  /** Cents of an account's payments that remain after refunds and disputes. */
  netOf(accountHash: string): number {
    let net = 0
    for (const intent of this.intents.values()) {
      if (intent.accountHash !== accountHash || intent.progress !== 'paid') continue
      const refunded = intent.refunds.reduce((sum, one) => sum + (one.failed ? 0 : one.cents), 0)
      const disputed = intent.disputes.reduce(
        (sum, one) => sum + (one.withdrawn ? one.cents - one.reinstatedCents : 0),
        0,
      )
      net += Math.max(0, intent.amountCents - refunded - disputed)
    }
    return net
  }

  #create({ accountHash, amountCents, writeId }: NewIntent): {
    intentId: string
    clientSecret: string
  } {
    const intentId = this.#byWrite.get(writeId) ?? `pi_${this.#prefix}_${this.intents.size + 1}`
    this.#byWrite.set(writeId, intentId)
    const made: Intent = {
      id: intentId,
      accountHash,
      amountCents,
      progress: 'unpaid',
      refunds: [],
      disputes: [],
    }
    if (!this.intents.has(intentId)) this.intents.set(intentId, made)
    return { intentId, clientSecret: `${intentId}_secret` }
  }

  #factsOf(intentId: string): PaymentFacts | undefined {
    const intent = this.intents.get(intentId)
    if (!intent) return undefined
    const { accountHash, amountCents, progress, refunds, disputes } = intent
    return {
      intentId,
      accountHash,
      amountCents,
      progress,
      reason: undefined,
      receivedCents: progress === 'paid' ? amountCents : 0,
      refunds: [...refunds],
      disputes: [...disputes],
    }
  }

  /** Simulates a request. The response is as old as its delay on the way back. */
  #asked<Answer>(member: Member, act: () => Answer): Promise<Answer> {
    const { time, random, weather } = this.#network
    const [drop, lose] = [random.chance(weather.drop * 3), random.chance(weather.lose * 3)]
    const isSlow = random.chance(weather.slow * 5)
    return new Promise((resolve, reject) => {
      const fail = () =>
        time.after(1, () => reject(new ProcessorUnavailableError('silent')), member)
      time.after(random.integer(5, 80), () => {
        if (drop) return fail()
        const answer = act()
        if (lose) return fail()
        time.after(
          isSlow ? random.integer(100, 4_000) : random.integer(5, 80),
          () => resolve(answer),
          member,
        )
      })
    })
  }

  #changed(intent: Intent, what: string): void {
    const { time, trace, weather } = this.#network
    trace.add('', `${this.nameOf(intent.id)}: ${what}`)
    const isCalm = weather.drop === 0
    const times = isCalm ? 1 : this.#random.pick([0, 1, 1, 1, 2, 3])
    for (let count = 0; count < times; count++) {
      const late = isCalm ? 20 : this.#random.integer(1, this.#random.chance(0.3) ? 4_000 : 200)
      time.after(late, () => void this.#tell(intent.id, 3))
    }
  }

  async #tell(intentId: string, tries: number): Promise<void> {
    if (await this.#deliver(intentId)) return
    if (tries > 0) this.#network.time.after(1_000, () => void this.#tell(intentId, tries - 1))
  }

  nameOf(intentId: string): string {
    return `payment ${intentId.split('_').at(-1)}`
  }
}
