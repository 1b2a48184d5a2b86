/** The service validates the fields, so the command line does not. */
import type { Command } from 'commander'
import type { TriggerChanges, TriggerFields } from '../../../client/triggers/records.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../terminal.ts'
import { parseWhere } from '../../../wire/where-text.ts'
import {
  collectOption,
  type GivenParams,
  integerOf,
  keyValues,
  objectOf,
  paramsOf,
} from '../option-values.ts'
import { factoryOf, type GivenFactory, withFactoryOptions } from './factory-options.ts'
import { type GivenSchedule, scheduleConfigOf, withScheduleOptions } from './schedule-options.ts'
import {
  type GivenTransactions,
  transactionsOf,
  withTransactionOptions,
} from './transaction-options.ts'

export type GivenFields = GivenParams &
  GivenSchedule &
  GivenFactory &
  GivenTransactions & {
    file?: string
    name?: string
    webhook?: boolean
    chain?: string
    contract?: string
    contractsFile?: string
    event?: string
    everyBlocks?: string
    fromBlock?: string
    topic?: string[]
    where?: string[]
    maxRunsPerMinute?: string
    maxQueuedRuns?: string
    option?: string[]
    webhookSecretFile?: string[]
  }

type Kind = TriggerFields['kind']

export function withFiringOptions(command: Command): Command {
  const started = command.option('--webhook', 'fire on a POST to the trigger’s own URL')
  const ofChain = withFactoryOptions(withChainOptions(withScheduleOptions(started)))
  return withEventOptions(withTransactionOptions(ofChain))
}

function withChainOptions(command: Command): Command {
  return command
    .option('--chain <name>', 'fire on events of a contract on this chain')
    .option('--contract <address>', 'chain events: address of the contract')
    .option(
      '--contracts-file <file>',
      'chain events: file with the addresses of several contracts, separated by spaces or lines',
    )
    .option(
      '--event <signature>',
      'chain events: event signature, such as "Transfer(address,address,uint256)"',
    )
    .option(
      '--every-blocks <n>',
      'chain events: fire on blocks whose number is divisible by n, instead of on an event',
    )
}

function withEventOptions(command: Command): Command {
  return command
    .option('--from-block <number>', 'chain events: backfill from this block')
    .option(
      '--topic <topic>',
      'chain events: filter for the next indexed argument: a topic, alternative topics separated by commas, or "any"; can be used up to three times',
      collectOption,
    )
    .option(
      '--where <condition>',
      'chain events: condition on an argument, such as "value >= 1000000" or "to = 0x…, 0x…"; can be repeated',
      collectOption,
    )
    .option(
      '--params <key=value>',
      'parameter for every run; the value is JSON or text; can be repeated',
      collectOption,
    )
    .option('--params-file <file>', 'file with the parameters as a JSON object')
    .option(
      '--option <key=value>',
      'trigger option, such as concurrency=4, dedup=true, pass_headers=["x-a"]; can be repeated',
      collectOption,
    )
    .option(
      '--file <file>',
      'JSON file with the trigger’s fields, as in the API; command-line options take precedence',
    )
}

export function withLimitOptions(command: Command): Command {
  return command
    .option('--name <name>', 'name of the trigger')
    .option('--max-runs-per-minute <n>', 'maximum number of runs that start per minute')
    .option('--max-queued-runs <n>', 'maximum number of queued runs')
    .option(
      '--webhook-secret-file <file>',
      'file with the secret of --option source=…; - for standard input; can be used twice, while the sender rotates its secret',
      collectOption,
    )
}

export async function givenFields(
  cli: Cli,
  given: GivenFields,
): Promise<{ kind?: Kind; usage_key_of?: string } & TriggerChanges> {
  const ofFile = given.file === undefined ? {} : objectOf('--file', await cli.text(given.file))
  const { maxRunsPerMinute: runs, maxQueuedRuns: queued, name } = given
  const params = await paramsOf(cli, given)
  const secrets = await webhookSecrets(cli, given)
  return {
    ...ofFile,
    ...(name !== undefined && { name }),
    ...(await kindAndConfig(cli, given)),
    ...(params && { default_params: params }),
    ...(given.option && { options: keyValues('--option', given.option) }),
    ...(runs !== undefined && { max_runs_per_minute: integerOf('--max-runs-per-minute', runs) }),
    ...(queued !== undefined && { max_queued_runs: integerOf('--max-queued-runs', queued) }),
    ...(secrets && { webhook_secret: secrets }),
  }
}

/** Secrets are read from files, because other processes can see arguments. */
async function webhookSecrets(
  cli: Cli,
  { webhookSecretFile: files }: GivenFields,
): Promise<string | string[] | undefined> {
  if (files === undefined) return undefined
  const secrets: string[] = []
  for (const file of files) secrets.push(await cli.secretFile(file))
  return secrets.length === 1 ? secrets[0] : secrets
}

async function kindAndConfig(
  cli: Cli,
  given: GivenFields,
): Promise<{ kind?: Kind; config?: Record<string, unknown> }> {
  const { webhook, cron, at, chain, contract, contractsFile, event, fromBlock, topic, where } =
    given
  const { everyBlocks } = given
  const ways = [webhook, cron, at, chain].filter((way) => way !== undefined)
  if (ways.length > 1) throw new UsageError('use only one of --at, --webhook, --cron and --chain')
  const schedule = scheduleConfigOf(given)
  const transactions = transactionsOf(given)
  const factory = factoryOf(given)
  const ofEvent = [contract, contractsFile, factory, event, topic, where]
  const ofChain = [...ofEvent, everyBlocks, transactions, fromBlock]
  if (chain === undefined && ofChain.some((one) => one !== undefined))
    throw new UsageError(
      '--contract, --contracts-file, --factory-address, --event, --every-blocks, --transactions-to, --transactions-from, --from-block, --topic and --where need --chain',
    )
  if (webhook) return { kind: 'webhook', config: {} }
  if (schedule) return { kind: 'schedule', config: schedule }
  if (chain === undefined) return {}
  const start = fromBlock === undefined ? {} : { start_block: blockOf(fromBlock) }
  if (everyBlocks !== undefined || transactions) {
    const way = transactions ? '--transactions-to and --transactions-from' : '--every-blocks'
    if ((everyBlocks !== undefined && transactions) || ofEvent.some((one) => one !== undefined))
      throw new UsageError(
        `use ${way} without --contract, --contracts-file, --factory-address, --event, --topic, --where${transactions ? ' and --every-blocks' : ''}`,
      )
    const what = transactions
      ? { transactions }
      : { blocks: { every: integerOf('--every-blocks', everyBlocks!) } }
    return { kind: 'chain_event', config: { chain, ...what, ...start } }
  }
  const contracts = [contract, contractsFile, factory].filter((one) => one !== undefined)
  if (contracts.length !== 1 || event === undefined)
    throw new UsageError(
      '--chain needs --event with either --contract or --contracts-file, or with --factory-address; or --every-blocks, --transactions-to or --transactions-from',
    )
  const config = {
    chain,
    ...(contract !== undefined && { contract_address: contract }),
    ...(contractsFile !== undefined && { addresses: wordsOf(await cli.text(contractsFile)) }),
    ...(factory && { factory }),
    event_signature: event,
    ...start,
    ...(topic && { topic_filters: topic.map(topicFilter) }),
    ...(where && { where: conditionsOf(where) }),
  }
  return { kind: 'chain_event', config }
}

function blockOf(text: string): number | string {
  return /^0x[0-9a-f]+$/i.test(text) ? text : integerOf('--from-block', text)
}

const wordsOf = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '')

function conditionsOf(texts: readonly string[]): Record<string, unknown> {
  const read = parseWhere(texts)
  if ('problem' in read) throw new UsageError(`--where: ${read.problem}`)
  return read.where
}

function topicFilter(text: string): string | string[] | null {
  if (text === 'any') return null
  const topics = text.split(',')
  return topics.length === 1 ? text : topics
}
