import type { DeliveryResponse, LogDelivery } from '../subscription.ts'

type TriggerStub = { deliverLogs(delivery: LogDelivery): Promise<DeliveryResponse> }

/**
 * Calls triggers to deliver logs. Concurrent calls to the same trigger share one stub, which preserves their order even
 * after a call has timed out.
 */
export class TriggerCalls {
  readonly #stubOf: (triggerId: string) => TriggerStub
  readonly #inFlight = new Map<string, { stub: TriggerStub; calls: number }>()

  constructor(stubOf: (triggerId: string) => TriggerStub) {
    this.#stubOf = stubOf
  }

  async deliver(triggerId: string, delivery: LogDelivery): Promise<DeliveryResponse> {
    const known = this.#inFlight.get(triggerId) ?? { stub: this.#stubOf(triggerId), calls: 0 }
    this.#inFlight.set(triggerId, known)
    known.calls++
    try {
      return await known.stub.deliverLogs(delivery)
    } finally {
      known.calls--
      if (known.calls === 0) this.#inFlight.delete(triggerId)
    }
  }
}
