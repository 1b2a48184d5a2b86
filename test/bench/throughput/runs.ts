/** Rates of runs on a whole stack, and what a run costs its processes. */
import { join } from 'node:path'
import { readFileSync } from 'node:fs'
import { CONCURRENCY_MAX } from '../../../shared/limits.ts'
import { METRICS_TOKEN_FILE } from '../../../origin/stack/local-secrets.ts'
import {
  executorsOf,
  leaderOf,
  originOf,
  residentMib,
  workerdOf,
} from '../../system/stack-processes.ts'
import { median, type Metric, report } from '../report.ts'
import type { JobQueue } from './job-queue.ts'
import { burst, createTriggers, type LoadedStack, TRIVIAL, type Trigger } from './loaded-stack.ts'
import { cpuMs, processTree, proportionalMib } from './processes.ts'

const EVENTS_EACH = 40
const WARM_UP_EVENTS = 100
const SIGN_TRIGGERS = 100
const SIGN_EVENTS_EACH = 20
const SIGN = `async function main({ wallet }) {
  const signer = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId: wallet }))
  return signer.signMessage('hello')
}`

const metric = (values: Omit<Metric, 'bench'>) => report({ bench: 'throughput', ...values })

export async function measureRuns(
  stack: LoadedStack,
  jobs: JobQueue,
  triggers: readonly Trigger[],
): Promise<void> {
  const runs = triggers.length * EVENTS_EACH
  await jobs.burst(runs)
  const baselines = [await jobs.burst(runs)]
  const before = await countersOf(stack)
  const value = await burst(stack.owner, triggers, EVENTS_EACH)
  const after = await countersOf(stack)
  baselines.push(await jobs.burst(runs))
  const baseline = median(baselines)
  metric({ metric: 'runs_per_s', value, unit: 'runs/s', baseline, ratio: value / baseline })
  for (const [name, unit] of Object.entries(UNITS)) {
    const key = name as keyof typeof UNITS
    metric({ metric: `${name}_per_run`, value: (after[key] - before[key]) / runs, unit })
  }
}

const UNITS = {
  origin_cpu_ms: 'ms',
  executors_cpu_ms: 'ms',
  edge_cpu_ms: 'ms',
  postgres_cpu_ms: 'ms',
  load_generator_cpu_ms: 'ms',
  statements: 'statements',
  requests: 'requests',
}

async function countersOf(stack: LoadedStack): Promise<Record<keyof typeof UNITS, number>> {
  const { stateDir } = stack.started
  const origin = cpuMs(originOf(stateDir))
  const edge = cpuMs(leaderOf(stateDir, 'edge').pid)
  const postgres = cpuMs(stack.postgres.pid)
  return {
    origin_cpu_ms: origin.own,
    executors_cpu_ms: origin.descendants,
    edge_cpu_ms: edge.own + edge.descendants,
    postgres_cpu_ms: postgres.own + postgres.descendants,
    // This process also reads the output of the stack's processes, as `npm start` does.
    load_generator_cpu_ms: cpuMs(process.pid).own,
    statements: await stack.statements(),
    requests: await requestsAtOrigin(stack),
  }
}

/** A trigger's limit of 6,000 runs per minute does not delay these runs, because it counts any 60 seconds. */
const ONE_TRIGGER_EVENTS = 1_000

export async function measureOneTrigger(stack: LoadedStack): Promise<void> {
  const rateOf = async (options: { concurrency?: number }) => {
    const trigger = await stack.createTriggers(1, TRIVIAL, { options })
    await burst(stack.owner, trigger, WARM_UP_EVENTS)
    return burst(stack.owner, trigger, ONE_TRIGGER_EVENTS)
  }
  const unit = 'runs/s'
  metric({ metric: 'runs_per_s_one_trigger', value: await rateOf({}), unit })
  const value = await rateOf({ concurrency: CONCURRENCY_MAX })
  metric({ metric: `runs_per_s_one_trigger_${CONCURRENCY_MAX}`, value, unit })
}

export async function measureSigning({ owner }: LoadedStack): Promise<void> {
  const { pkp_id } = await owner.core('create_wallet', {})
  const group = { group_name: 'signers', pkp_ids_permitted: [pkp_id], cid_hashes_permitted: ['0'] }
  const { group_id } = await owner.core('add_group', group)
  const granted = { name: 'signers', execute_in_groups: [group_id] }
  const { usage_api_key } = await owner.core('add_usage_api_key', granted)
  const settings = { usage_api_key, default_params: { wallet: pkp_id } }
  const triggers = await createTriggers(owner, SIGN_TRIGGERS, SIGN, settings)
  await burst(owner, triggers, 1)
  const value = await burst(owner, triggers, SIGN_EVENTS_EACH)
  metric({ metric: 'sign_runs_per_s', value, unit: 'runs/s' })
}

/** Requests that the origin has completed, without those of monitoring. */
async function requestsAtOrigin({ started }: LoadedStack): Promise<number> {
  const token = readFileSync(join(started.stateDir, METRICS_TOKEN_FILE), 'utf8').trim()
  const headers = { authorization: `Bearer ${token}` }
  const text = await (await fetch(`${started.baseUrl}/metrics`, { headers })).text()
  return [...text.matchAll(/^svc_requests_total\{(.*)\} (\d+)$/gm)]
    .filter(([, labels]) => !/route="\/(metrics|health)"/.test(labels!))
    .reduce((sum, [, , count]) => sum + Number(count), 0)
}

/**
 * Reports the resident memory of the origin's main process, and the proportional set size of each part of the stack, in
 * which a page that several processes share counts once.
 */
export function measureMemory(
  { started: { stateDir }, postgres }: LoadedStack,
  when: string,
): void {
  const unit = 'MiB'
  const origin = originOf(stateDir)
  metric({ metric: `origin_rss_${when}_mb`, value: residentMib(origin), unit })
  const workerd = workerdOf(stateDir)
  const parts = {
    origin: [origin],
    executors: executorsOf(stateDir),
    miniflare: processTree(leaderOf(stateDir, 'edge').pid).filter((pid) => pid !== workerd),
    workerd: [workerd],
    postgres: processTree(postgres.pid),
    chain: processTree(leaderOf(stateDir, 'chain').pid),
  }
  let sum = 0
  for (const [part, pids] of Object.entries(parts)) {
    const value = pids.reduce((mib, pid) => mib + proportionalMib(pid), 0)
    metric({ metric: `${part}_pss_${when}_mb`, value, unit })
    sum += value
  }
  metric({ metric: `stack_pss_${when}_mb`, value: sum, unit })
}
