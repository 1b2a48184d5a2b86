/** The first account, wallet and webhook of a deployment, as a new user creates them. */
import { callJson, type Journey, runJourney } from '../../origin/stack/journey.ts'
import { payAsClient } from '../../origin/stack/pay-as-client.ts'
import { type CoreCall, topUp } from '../../origin/stack/top-up.ts'
import { PROCESSOR_WEBHOOK_PATH } from '../../shared/wire/core-routes.ts'
import type { ProcessorDouble } from '../doubles/processor/server.ts'
import { EDGE_URL } from './hosts.ts'

/** Payments of five dollars, for the runs of the load. */
const FURTHER_PAYMENTS = 9

/** All payments of the account. */
export const PAID_CENTS = 500 * (1 + FURTHER_PAYMENTS)

export const centsOf = (balance: string) =>
  Math.round(Number(balance.replace(/[^0-9.]/g, '')) * 100)

export const core: CoreCall = (path, body, key) =>
  callJson(`${EDGE_URL}/core/v1/${path}`, { body, headers: key ? { 'x-api-key': key } : {} })

type Options = {
  processor: ProcessorDouble
  /** URL of the e-mail API, with the account of the rehearsal. */
  mailUrl: string
}

/** @returns what the user has, and the number of steps that led there */
export async function createFirstAccount({
  processor,
  mailUrl,
}: Options): Promise<{ journey: Journey; steps: number }> {
  let steps = 0
  const endpoint = {
    url: `${EDGE_URL}${PROCESSOR_WEBHOOK_PATH}`,
    secret: processor.webhookSecret,
  }
  await fetch(`${processor.url}/test/send_webhooks`, {
    method: 'POST',
    body: JSON.stringify(endpoint),
  })
  const pay = (intent: { publishableKey: string; clientSecret: string }) =>
    payAsClient({ url: processor.url, ...intent })
  const journey = await runJourney({
    baseUrl: EDGE_URL,
    triggersUrl: EDGE_URL,
    pay,
    readLink: async (_, email) => lastLink(`${mailUrl}/received`, email),
    onStep: () => void steps++,
  })
  for (let n = 0; n < FURTHER_PAYMENTS; n++) await topUp({ core, pay, key: journey.accountKey })
  return { journey, steps }
}

async function lastLink(url: string, email: string): Promise<string | undefined> {
  const { mails } = (await (await fetch(url)).json()) as { mails: { to: string; text: string }[] }
  const text = mails.findLast(({ to }) => to === email)?.text
  return /https:\/\/\S+/.exec(text ?? '')?.[0]
}
