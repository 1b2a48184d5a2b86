/**
 * Performs the main use case over HTTP as a new user would, from creating an account to a webhook with a signed result.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { keccak256, toUtf8Bytes, verifyMessage } from 'ethers'
import { createApprovedToken, type ReadLink } from './approved-token.ts'
import type { FundedWalletFactory } from './funded-wallets.ts'
import type { JourneyStep } from './journey-step.ts'
import { runOwnershipJourney } from './ownership-journey.ts'
import { runPolicyJourney } from './policy-journey.ts'
import { runTokenJourney } from './token-journey.ts'
import { balanceOf, type CoreCall, topUp } from './top-up.ts'

type JourneyOptions = {
  baseUrl: string
  triggersUrl: string
  /** Pays for an intent like the payment processor's client library. If omitted, the payment step is skipped. */
  pay?: (intent: { publishableKey: string; clientSecret: string }) => Promise<void>
  /**
   * Creates wallets on the accounts' chain (`ethereum` in a local stack). If omitted, the steps on the chain are
   * skipped.
   */
  wallet?: FundedWalletFactory
  /** @default reads the mailbox of a local stack */
  readLink?: ReadLink
  onStep(step: string, result: string, milliseconds: number): void
}

export class JourneyError extends Error {
  constructor(step: string, reason: string) {
    super(`${step}: ${reason}`)
    this.name = 'JourneyError'
  }
}

/**
 * Action that verifies GitHub's signature over the exact bytes, and then signs the received message with the wallet's
 * key. It sends tokens on that the wallet receives.
 */
const ACTION = `async function main(params) {
  if (params.event_raw !== undefined) {
    const { utils } = ethers
    const mac = utils.computeHmac('sha256', utils.toUtf8Bytes(params.webhook_secret), utils.toUtf8Bytes(params.event_raw))
    if ('sha256=' + mac.slice(2) !== params.headers['x-hub-signature-256']) throw new Error('the signature is not GitHub\\'s')
  }
  const message = messageOf(params)
  const wallet = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId: params.pkp_id }))
  console.log('signing', message)
  const signed = { message, signature: await wallet.signMessage(message) }
  if (params.source === 'chain_event') await sendOn(params)
  return signed
}

async function sendOn({ event, pkp_id, friend }) {
  const token = new ethers.utils.Interface(['function transfer(address to, uint256 value)'])
  const { id } = await Svc.Actions.sendTransaction({
    pkpId: pkp_id,
    chain: event.chain,
    to: event.contract_address,
    data: token.encodeFunctionData('transfer', [friend, event.decoded.arg2]),
    idempotencyKey: event.transaction_hash + '/' + event.log_index,
  })
  console.log('sends', id)
}

function messageOf({ source, event, message }) {
  if (source === 'chain_event') return event.decoded.arg1 + ' received ' + event.decoded.arg2
  return event ? 'pushed ' + event.after : message
}
`
const RUN_STALLED_MS = 60_000

type Signed = { message: string; signature: string }

/** Results of the journey. */
export type Journey = {
  accountKey: string
  usageKey: string
  /** Token of the trigger API. */
  token: string
  /** The webhook trigger, and the secret that signs its requests. */
  trigger: { id: string; webhook_url: string; secret: string }
  /** Request body of `svc_action` that signs a message. */
  action: { code: string; js_params: object }
}

/** @throws {JourneyError} if a step fails */
export async function runJourney(options: JourneyOptions): Promise<Journey> {
  const step: JourneyStep = async (name, act, show) => {
    const began = performance.now()
    try {
      const result = await act()
      options.onStep(name, show(result), performance.now() - began)
      return result
    } catch (error) {
      throw new JourneyError(name, error instanceof Error ? error.message : String(error))
    }
  }
  const core: CoreCall = (path, body, key) =>
    callJson(`${options.baseUrl}/core/v1/${path}`, {
      body,
      headers: key ? { 'x-api-key': key } : {},
    })

  const account = await step(
    'new_account',
    () => core('new_account', { account_name: 'demo', account_description: '' }),
    (made) => `account wallet ${made.wallet_address}`,
  )
  const master: string = account.api_key
  const { pay } = options
  if (pay)
    await step(
      'pay $5.00 by card',
      () => topUp({ core, pay, key: master }),
      ({ before, after }) => `balance: ${before} before, ${after} after`,
    )
  const wallet = await step(
    'create_wallet',
    () => core('create_wallet', {}, master),
    (made) => made.wallet_address,
  )
  const cid: string = await step(
    'get_svc_action_ipfs_id',
    () => core('get_svc_action_ipfs_id', ACTION),
    (made) => made,
  )
  const group = await step(
    'add_group',
    () =>
      core(
        'add_group',
        {
          group_name: 'signers',
          pkp_ids_permitted: [wallet.pkp_id],
          cid_hashes_permitted: [keccak256(toUtf8Bytes(cid))],
        },
        master,
      ),
    (made) => `group ${made.group_id} permits the action to use the wallet`,
  )
  const usage = await step(
    'add_usage_api_key',
    () =>
      core('add_usage_api_key', { name: 'execute', execute_in_groups: [group.group_id] }, master),
    () => 'a key that can only execute in that group',
  )
  const before = await balanceOf(core, master)
  const action = {
    code: ACTION,
    js_params: { pkp_id: wallet.wallet_address, message: 'hello' },
  }
  const signerOf = (response: Signed) => verifySigner(response, wallet.wallet_address, 'hello')
  await step(
    'svc_action',
    async () => signerOf((await core('svc_action', action, usage.usage_api_key)).response),
    (signer) => `signed by ${signer}`,
  )
  await step(
    'billing/balance',
    () => balanceOf(core, master),
    (after) => `balance: ${before} before the run, ${after} after`,
  )

  const token = await step(
    'sign in and approve a token',
    async () => {
      const approved = await createApprovedToken(options.triggersUrl, undefined, options.readLink)
      const headers = { authorization: `Bearer ${approved.token}` }
      const me = await callJson(`${options.triggersUrl}/api/me`, { headers })
      return { ...approved, email: me.email }
    },
    (approved) => `as ${approved.email}`,
  )
  const secret = randomBytes(24).toString('base64url')
  const bearer = { authorization: `Bearer ${token.token}` }
  const createTrigger = (fields: object) =>
    callJson(`${options.triggersUrl}/api/triggers`, {
      headers: bearer,
      body: {
        action_code: ACTION,
        default_params: { pkp_id: wallet.wallet_address },
        usage_api_key: usage.usage_api_key,
        ...fields,
      },
    })
  const trigger = await step(
    'create the webhook trigger',
    () =>
      createTrigger({
        name: 'sign each push',
        kind: 'webhook',
        default_params: { pkp_id: wallet.wallet_address, webhook_secret: secret },
        config: {},
      }),
    (made) => made.webhook_url,
  )
  const commit = randomBytes(20).toString('hex')
  const firing = await step(
    'POST the webhook, signed as GitHub does',
    () => sendGitHubPush(trigger.webhook_url, secret, commit),
    (accepted) => `202, run ${accepted.run_id.slice(0, 8)}...`,
  )
  await step(
    'the run ends',
    async () => {
      const run = await waitForRunEnd(options.triggersUrl, trigger.id, bearer, firing.run_id)
      return verifySigner(run.response, wallet.wallet_address, `pushed ${commit}`)
    },
    (signer) => `success, signed by ${signer}`,
  )
  if (options.wallet) {
    await runTokenJourney({
      wallet: options.wallet,
      receiver: wallet.wallet_address,
      createTrigger,
      firstRun: (triggerId) => waitForRunEnd(options.triggersUrl, triggerId, bearer),
      signerOf: (response, message) => verifySigner(response, wallet.wallet_address, message),
      transactionsOf: (runId) =>
        callJson(`${options.baseUrl}/core/v1/transactions?run_id=${runId}`, {
          headers: { 'x-api-key': master },
        }),
      step,
    })
    const client = await runOwnershipJourney({
      baseUrl: options.baseUrl,
      apiKey: master,
      groupId: group.group_id,
      action,
      signerOf,
      wallet: options.wallet,
      step,
    })
    await runPolicyJourney({ client, wallet: options.wallet, step })
  }
  return {
    accountKey: master,
    usageKey: usage.usage_api_key,
    token: token.token,
    trigger: { id: trigger.id, webhook_url: trigger.webhook_url, secret },
    action,
  }
}

/** @throws {Error} if the signer is not the expected wallet */
async function verifySigner(signed: Signed, wallet: string, message: string): Promise<string> {
  const signer = verifyMessage(message, signed.signature)
  if (signer !== wallet) throw new Error(`signed by ${signer} instead of the wallet ${wallet}`)
  return signer
}

/** @returns `{run_id}` */
export function sendGitHubPush(url: string, secret: string, commit: string) {
  const body = JSON.stringify({ ref: 'refs/heads/main', after: commit })
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'push',
    'x-hub-signature-256': `sha256=${signature}`,
  }
  return callJson(url, { headers, text: body })
}

/**
 * Waits until a run ends. Without a run ID, waits for the trigger's first run.
 * @throws {Error} if the run fails or stalls
 */
async function waitForRunEnd(
  triggersUrl: string,
  triggerId: string,
  headers: Record<string, string>,
  runId?: string,
) {
  let [seen, changedAt] = ['', performance.now()]
  while (performance.now() - changedAt < RUN_STALLED_MS) {
    const { runs } = await callJson(`${triggersUrl}/api/triggers/${triggerId}/runs`, { headers })
    const run = runs.find(({ id }: { id: string }) => runId === undefined || id === runId)
    if (run?.status === 'success') return run
    if (run?.status === 'failed') throw new Error(`the run failed: ${run.error}`)
    const now = JSON.stringify(run)
    if (now !== seen) [seen, changedAt] = [now, performance.now()]
    await sleep(50)
  }
  throw new Error(`the run made no progress for ${RUN_STALLED_MS / 1000} s: ${seen}`)
}

type JsonCall = { body?: unknown; text?: string; headers?: Record<string, string> }

/**
 * Does not validate the response's shape.
 * @throws {Error} if the status is not 2xx
 */
export async function callJson(url: string, { body, text, headers = {} }: JsonCall): Promise<any> {
  const payload = text ?? (body === undefined ? undefined : JSON.stringify(body))
  const posted = { 'content-type': 'application/json', ...headers }
  const response = await (payload === undefined
    ? fetch(url, { headers })
    : fetch(url, { method: 'POST', headers: posted, body: payload }))
  const answer = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${answer.slice(0, 1000)}`)
  return JSON.parse(answer)
}
