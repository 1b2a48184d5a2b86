import { ECHO, THROW } from '../action-sources.ts'
import { hold, refusal, same } from '../hold.ts'
import { until } from '../wait.ts'
import type { Journey } from '../world.ts'

export const billing: Journey[] = [
  {
    name: 'the balance is in cents, with a text beside it',
    needs: ['accounts', 'billing'],
    async run({ core }, world) {
      const { cents, display } = await core.balance((await world.account()).apiKey)
      hold(cents >= 0 && display.length > 0, 'an amount and its text')
    },
  },
  {
    name: 'a successful write costs one cent; reads and refused calls cost nothing',
    needs: ['accounts', 'groups', 'usage-keys', 'key-management', 'billing'],
    async run({ core }, world) {
      const { apiKey } = await world.newAccount('counts its cents')
      const balance = async () => (await core.balance(apiKey)).cents
      const before = await balance()
      await core.addGroup(apiKey, { name: 'paid for' })
      same(await balance(), before - 1, 'a write is one cent')
      await core.listApiKeys(apiKey)
      await core.accountExists(apiKey)
      const headers = { 'x-api-key': apiKey }
      const path = '/core/v1/add_group'
      await refusal(() => core.raw('POST', path, headers, '{'), 'malformed', 400)
      await refusal(() => core.raw('POST', path, headers, '[]'), 'no schema', 422)
      same(await balance(), before - 1, 'reads and refusals are free')
    },
  },
  {
    name: 'an execution costs a cent a second, and one that throws nothing',
    needs: ['accounts', 'wallets', 'groups', 'usage-keys', 'actions', 'billing'],
    async run({ core }, world) {
      const key = await world.anyActionKey()
      const { apiKey } = await world.account()
      const before = (await core.balance(apiKey)).cents
      await refusal(() => core.svcAction(key, THROW, { where: 'Uri' }), 'it throws')
      same((await core.balance(apiKey)).cents, before, 'a failed request is free')
      await core.svcAction(key, ECHO)
      const cost = before - (await core.balance(apiKey)).cents
      hold(cost >= 0 && cost <= 2, 'a short run is about a cent')
    },
  },
  {
    name: 'a payment is of 500 cents or more',
    needs: ['accounts', 'billing', 'payments'],
    async run({ core }, world) {
      const { apiKey } = await world.account()
      hold((await core.processorConfig()).publishableKey, 'a publishable key')
      await refusal(() => core.createPaymentIntent(apiKey, 499), 'under the minimum', 400, 422)
      const intent = await core.createPaymentIntent(apiKey, 500)
      hold(intent.clientSecret && intent.paymentIntentId, 'a secret and an id')
    },
  },
  {
    name: 'a settled payment is credited once it is confirmed',
    needs: ['accounts', 'billing', 'payments'],
    tools: ['pay'],
    seconds: 360,
    async run({ core }, world) {
      const { apiKey } = await world.newAccount('pays')
      const before = (await core.balance(apiKey)).cents
      const { publishableKey } = await core.processorConfig()
      const { clientSecret, paymentIntentId } = await core.createPaymentIntent(apiKey, 500)
      await world.tools.pay!({ publishableKey, clientSecret })
      await core.confirmPayment(apiKey, paymentIntentId)
      await until('the credit', 300, async () =>
        (await core.balance(apiKey)).cents === before + 500 ? true : undefined,
      )
    },
  },
]
