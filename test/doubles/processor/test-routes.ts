/** Controls of the double for tests and the demo in other processes: `POST /test/...` with JSON. */
import { ProcessorApiError } from './api-error.ts'
import type { GivingBack } from './giving-back.ts'
import type { Paying } from './paying.ts'
import type { Webhooks } from './webhooks.ts'

export type Controls = { paying: Paying; givingBack: GivingBack; webhooks: Webhooks }

type Given = { id: string; amount?: number; inquiry?: boolean; url?: string; secret?: string }

const CONTROLS: Record<string, (controls: Controls, given: Given) => object> = {
  pay_by_card: ({ paying }, { id }) => paying.byCard(id),
  pay_by_crypto: ({ paying }, { id }) => paying.byCrypto(id),
  confirm_on_chain: ({ paying }, { id }) => paying.confirmOnChain(id),
  revert_on_chain: ({ paying }, { id }) => paying.revertOnChain(id),
  decline: ({ paying }, { id }) => paying.decline(id),
  cancel: ({ paying }, { id }) => paying.cancel(id),
  refund: ({ givingBack }, { id, amount }) =>
    givingBack.refund(id, amount === undefined ? {} : { amount }),
  fail_refund: ({ givingBack }, { id }) => givingBack.failRefund(id),
  dispute: ({ givingBack }, { id, inquiry = false }) => givingBack.dispute(id, { inquiry }),
  win: ({ givingBack }, { id }) => givingBack.win(id),
  lose: ({ givingBack }, { id }) => givingBack.lose(id),
  send_webhooks: ({ webhooks }, { url, secret }) => {
    if (url === undefined || secret === undefined)
      throw new ProcessorApiError(400, 'send_webhooks needs url and secret')
    webhooks.sendTo(url, secret)
    return {}
  },
}

/** @param path `/test/<control>` @throws {ProcessorApiError} */
export function control(path: string, body: string, controls: Controls): object {
  const act = CONTROLS[path.replace('/test/', '')]
  if (!act) throw new ProcessorApiError(404, `There is no control ${path}.`)
  return act(controls, JSON.parse(body === '' ? '{}' : body))
}
