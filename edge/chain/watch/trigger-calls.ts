import type { DeliveryAnswer, LogDelivery } from '../subscription.ts'

/** What is asked of a trigger's object. */
export type TriggerStub = { deliverLogs(delivery: LogDelivery): Promise<DeliveryAnswer> }

/**
 * Calls to the objects of triggers. Those to one trigger that are under way together go through one stub: it is what keeps
 * them in order, also behind one that nobody waits for any more.
 */
export class TriggerCalls {
  readonly #stubOf: (triggerId: string) => TriggerStub
  readonly #underWay = new Map<string, { stub: TriggerStub; calls: number }>()

  constructor(stubOf: (triggerId: string) => TriggerStub) {
    this.#stubOf = stubOf
  }

  async deliver(triggerId: string, delivery: LogDelivery): Promise<DeliveryAnswer> {
    const known = this.#underWay.get(triggerId) ?? { stub: this.#stubOf(triggerId), calls: 0 }
    this.#underWay.set(triggerId, known)
    known.calls++
    try {
      return await known.stub.deliverLogs(delivery)
    } finally {
      known.calls--
      if (known.calls === 0) this.#underWay.delete(triggerId)
    }
  }
}
