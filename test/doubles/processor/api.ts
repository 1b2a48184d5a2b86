/** Operations of the processor's API that the service and the browser client library use. */
import { missing, ProcessorApiError } from './api-error.ts'
import {
  type Fields,
  integerField,
  listField,
  requireKnown,
  textField,
  textsField,
} from './form.ts'
import type { Intent, ProcessorObject } from './objects.ts'
import type { Paying } from './paying.ts'
import type { Records } from './records.ts'

/** Key of the caller: the secret key, or the publishable key, which needs an intent's client secret. */
export type Caller = 'secret' | 'publishable'

type Asked = { method: string; path: string; fields: Fields; caller: Caller }

/** Behavior of the client library's test cards and wallets. */
const PAYMENT_METHODS: Record<string, (paying: Paying, id: string) => Intent> = {
  pm_card_visa: (paying, id) => paying.byCard(id),
  pm_card_authenticationRequired: (paying, id) => paying.byCardThatAsks(id),
  pm_card_chargeDeclined: (paying, id) => paying.decline(id),
  pm_crypto: (paying, id) => paying.byCrypto(id),
}

/** @throws {ProcessorApiError} */
export function answerTo(
  { method, path, fields, caller }: Asked,
  records: Records,
  paying: Paying,
): object {
  const [, , resource = '', id, verb] = path.split('/').map(decodeURIComponent)
  const operation = [method, resource, id && ':id', verb].filter(Boolean).join(' ')
  if (caller === 'publishable') return ofClient(operation, id ?? '', fields, records, paying)
  switch (operation) {
    case 'POST customers':
      requireKnown(fields, ['metadata', 'description', 'email', 'name'])
      return records.createCustomer(textsField(fields, 'metadata'))
    case 'GET customers':
      return page([...records.customers.values()], fields, path)
    case 'GET customers :id':
      return found(records.customers, 'customer', id)
    case 'POST payment_intents': {
      const known = ['amount', 'currency', 'customer', 'metadata', 'automatic_payment_methods']
      requireKnown(fields, [...known, 'description'])
      return records.createIntent({
        amount: integerField(fields, 'amount'),
        currency: textField(fields, 'currency'),
        customer: textField(fields, 'customer'),
        automatic: textsField(fields, 'automatic_payment_methods')['enabled'] === 'true',
        metadata: textsField(fields, 'metadata'),
      })
    }
    case 'GET payment_intents :id':
      return expanded(records.intent(id ?? ''), fields, records)
    case 'POST payment_intents :id cancel':
      return paying.cancel(id ?? '')
    case 'GET charges :id':
      return found(records.charges, 'charge', id)
    case 'GET refunds':
      return page(ofIntent([...records.refunds.values()], fields), fields, path)
    case 'GET refunds :id':
      return records.refund(id ?? '')
    case 'GET disputes':
      return page(ofIntent([...records.disputes.values()], fields), fields, path)
    case 'GET disputes :id':
      return records.dispute(id ?? '')
    default:
      throw new ProcessorApiError(404, `Unrecognized request URL (${method}: ${path}).`)
  }
}

/** Restricts the publishable key to reading and paying an intent with its client secret. */
function ofClient(
  operation: string,
  id: string,
  fields: Fields,
  records: Records,
  paying: Paying,
): object {
  const isOfClient = ['GET payment_intents :id', 'POST payment_intents :id confirm']
  if (!isOfClient.includes(operation)) {
    const facts = { code: 'secret_key_required' }
    throw new ProcessorApiError(403, 'This request needs a secret key.', facts)
  }
  const intent = records.intent(id)
  if (textField(fields, 'client_secret') !== intent.client_secret)
    throw missing('payment_intent', id, 'intent')
  if (operation.startsWith('GET')) return publicPart(intent)
  if (intent.automatic_payment_methods !== null && textField(fields, 'return_url') === undefined) {
    const message =
      'A `return_url` must be specified: some payment methods need a full page redirect.'
    throw new ProcessorApiError(400, message)
  }
  const method = textField(fields, 'payment_method') ?? ''
  const pay = PAYMENT_METHODS[method]
  if (!pay) throw missing('PaymentMethod', method, 'payment_method', 400)
  const paid = pay(paying, id)
  if (paid.last_payment_error === null) return publicPart(paid)
  const { code, message, type } = paid.last_payment_error
  throw new ProcessorApiError(402, message, { type, code })
}

function publicPart(intent: Intent): object {
  const { id, object, amount, client_secret, created, currency, livemode, status } = intent
  const { last_payment_error } = intent
  return {
    id,
    object,
    amount,
    client_secret,
    created,
    currency,
    last_payment_error,
    livemode,
    status,
  }
}

function found<One>(all: Map<string, One>, what: string, id = ''): One {
  const one = all.get(id)
  if (!one) throw missing(what, id)
  return one
}

function expanded(intent: Intent, fields: Fields, records: Records): object {
  if (!listField(fields, 'expand').includes('latest_charge')) return intent
  const charge = records.charges.get(intent.latest_charge ?? '')
  return { ...intent, latest_charge: charge ?? null }
}

function ofIntent<One extends { payment_intent: string }>(all: One[], fields: Fields): One[] {
  const intent = textField(fields, 'payment_intent')
  return all.filter(({ payment_intent }) => intent === undefined || payment_intent === intent)
}

/** Paginates, newest first. */
function page(all: ProcessorObject[], fields: Fields, url: string): object {
  const newest = all.toReversed()
  const after = textField(fields, 'starting_after')
  const at = after === undefined ? -1 : newest.findIndex(({ id }) => id === after)
  if (after !== undefined && at === -1) throw missing('object', after, 'starting_after', 400)
  const limit = integerField(fields, 'limit') ?? 10
  const data = newest.slice(at + 1, at + 1 + limit)
  return { object: 'list', data, has_more: at + 1 + limit < newest.length, url }
}
