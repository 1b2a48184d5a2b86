/**
 * `npm run operator -- <command>`: commands of an operator, each with an audit row (docs/operate.md#operator-commands).
 */
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { isLoopback } from '../../shared/network/loopback.ts'
import { exportFile } from '../../shared/wire/operator.ts'
import { type Database, openDatabase } from '../db/open.ts'
import { originSettings } from '../settings.ts'
import {
  type AccountAction,
  accountStatus,
  type ActionTerms,
  adjustCredit,
  eraseAccountEmail,
  listActions,
  OperatorActionError,
  resumeAccount,
  suspendAccount,
} from './account-actions.ts'
import { EdgeClient, type EdgeCommand, type Who } from './edge-client.ts'

/** Rows of each audit log that `log` prints. */
const LISTED = 200

type Recorded = Who & { yes?: true }
type OnAccount = Recorded & { id?: string }
type OnEdge = Recorded & { edge: string }
type Environment = Record<string, string | undefined>

const databaseSettings = z.object({
  DATABASE_URL: originSettings.DATABASE_URL,
  SVC_DATABASE_CA: originSettings.SVC_DATABASE_CA,
  SVC_STARTER_CREDITS_CENTS: originSettings.SVC_STARTER_CREDITS_CENTS,
})

const planOfUser = z.object({ user_id: z.string() })

/**
 * @param print receives the plan, and then the result of a command; an error is thrown by `parseAsync`
 * @param environment `DATABASE_URL`, `SVC_DATABASE_CA` and `SVC_STARTER_CREDITS_CENTS` of the origin, and the edge's
 *   `OPERATOR_TOKEN`
 */
export function operatorProgram(
  print: (result: object) => void,
  environment: Environment,
  send: typeof fetch = fetch,
): Command {
  const program = new Command('npm run operator --').description(
    'Commands of an operator. Prints the plan as JSON, and changes nothing without --yes. Commands on accounts need the\n' +
      'environment of the origin (DATABASE_URL), commands on users and triggers the token of the edge (OPERATOR_TOKEN).',
  )

  const recorded = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .requiredOption('--operator <name>', 'your name, for the audit log', textOf(100))
      .requiredOption('--reason <text>', 'the reason, for the audit log', textOf(500))
      .option('--yes', 'perform the command')

  const finish = async (
    yes: true | undefined,
    plan: object,
    act: () => Promise<object>,
  ): Promise<void> => {
    print({ plan, ...(yes ? {} : { done: false, next: 'Repeat the command with --yes.' }) })
    if (yes) print({ done: true, ...(await act()) })
  }

  const onAccount = (name: string, description: string) =>
    recorded(name, description)
      .argument('<account>', 'hash of the account, 32 bytes in hex with 0x', hashOf)
      .option('--id <id>', 'ID of the action, such as a ticket: it is performed once', textOf(100))

  const performOnAccount = (
    accountHash: string,
    { operator, reason, id = randomUUID(), yes }: OnAccount,
    plan: object,
    act: (db: Database, action: AccountAction, terms: ActionTerms) => Promise<void>,
  ): Promise<void> =>
    withDatabase(environment, async (db, starterCents) => {
      const account = await accountStatus(db, accountHash)
      const action = { id, operator, reason, accountHash }
      const whole = { id, account: accountHash, ...account, ...plan }
      await finish(yes, whole, async () => {
        await act(db, action, { starterCents, at: new Date() })
        return { id, ...(await accountStatus(db, accountHash)) }
      })
    })

  onAccount('suspend-account', 'refuse the runs and writes of an account').action(
    (account: string, options: OnAccount) => performOnAccount(account, options, {}, suspendAccount),
  )
  onAccount('resume-account', 'accept the runs and writes of an account again').action(
    (account: string, options: OnAccount) => performOnAccount(account, options, {}, resumeAccount),
  )
  onAccount('adjust-credit', 'add or deduct credit through the ledger')
    .requiredOption('--cents <cents>', 'amount to add; negative to deduct', centsOf)
    .action((account: string, { cents, ...options }: OnAccount & { cents: number }) =>
      performOnAccount(account, options, { adjust_cents: cents }, (db, action, terms) =>
        adjustCredit(db, { ...action, cents }, terms),
      ),
    )
  onAccount('erase-account-email', 'delete the e-mail address of an account').action(
    (account: string, options: OnAccount) =>
      performOnAccount(account, options, {}, (db, action, { at }) =>
        eraseAccountEmail(db, action, at),
      ),
  )

  const onEdge = (name: string, description: string) =>
    recorded(name, description).requiredOption('--edge <url>', 'URL of the edge', httpsUrl)
  const performOnEdge = async (
    { edge, operator, reason, yes }: OnEdge,
    command: EdgeCommand,
    act = (client: EdgeClient, who: Who, _plan: Record<string, unknown>): Promise<object> =>
      client.perform(command, who),
  ): Promise<void> => {
    const client = edgeClient(edge, environment, send)
    const who = { operator, reason }
    const plan = await client.plan(command, who)
    await finish(yes, plan, () => act(client, who, plan))
  }

  for (const [command, description] of [
    ['suspend-trigger', 'disable a trigger until it is resumed; its owner cannot enable it'],
    ['resume-trigger', 'enable a suspended trigger, if it was enabled before'],
  ] as const)
    onEdge(command, description)
      .argument('<trigger>', 'ID of the trigger')
      .action((trigger_id: string, options: OnEdge) =>
        performOnEdge(options, { command, trigger_id }),
      )

  onEdge('erase-user', 'delete all that identifies a user, and the user’s triggers and tokens')
    .argument('<user>', 'ID or e-mail address')
    .action((user: string, options: OnEdge) =>
      performOnEdge(options, { command: 'erase-user', user }, (client, who, plan) =>
        client.eraseUser(planOfUser.parse(plan).user_id, who),
      ),
    )

  onEdge('export-triggers', 'write the triggers of a user to a file, with their sealed usage keys')
    .argument('<user>', 'ID or e-mail address')
    .requiredOption('--output <file>', 'a new file, readable by you only')
    .action((user: string, { output, ...options }: OnEdge & { output: string }) =>
      performOnEdge(options, { command: 'export-triggers', user }, async (client, who, plan) => {
        const owner_id = planOfUser.parse(plan).user_id
        const triggers = await client.exportTriggers(owner_id, who)
        const text = JSON.stringify({ version: 1, owner_id, triggers }, null, 2)
        writeFileSync(output, `${text}\n`, { mode: 0o600, flag: 'wx' })
        return { file: output, triggers: triggers.length }
      }),
    )

  onEdge('import-triggers', 'restore exported triggers, or create them for another user')
    .argument('<user>', 'ID or e-mail address of the user who gets the triggers')
    .argument('<file>', 'written by export-triggers')
    .option(
      '--usage-key-file <file>',
      'create new triggers with this usage key; - for standard input',
    )
    .action(
      async (
        user: string,
        file: string,
        { usageKeyFile, edge, operator, reason, yes }: OnEdge & { usageKeyFile?: string },
      ) => {
        const { triggers } = exportFile.parse(JSON.parse(readFileSync(file, 'utf8')))
        const key = usageKeyFile === undefined ? {} : { usage_api_key: keyOf(usageKeyFile) }
        const client = edgeClient(edge, environment, send)
        const who = { operator, reason }
        const commands = triggers.map((trigger) => {
          return { command: 'import-trigger', user, trigger, ...key } as const
        })
        const plans: object[] = []
        for (const command of commands) plans.push(await client.plan(command, who))
        await finish(yes, { triggers: plans }, async () => {
          const results: object[] = []
          for (const [index, command] of commands.entries())
            results.push({
              from: triggers[index]!.id,
              ...(await client.perform(command, who)),
            })
          return { triggers: results }
        })
      },
    )

  program
    .command('log')
    .description('print the audit logs of the origin and the edge, newest first')
    .option('--edge <url>', 'URL of the edge', httpsUrl)
    .action(async ({ edge }: { edge?: string }) => {
      const accounts =
        environment['DATABASE_URL'] === undefined
          ? undefined
          : await withDatabase(environment, (db) => listActions(db, LISTED))
      const users = edge === undefined ? undefined : await edgeClient(edge, environment, send).log()
      if (!accounts && !users)
        throw new OperatorActionError('set DATABASE_URL, or --edge and OPERATOR_TOKEN, or both')
      print({ ...(accounts && { origin: accounts }), ...(users && { edge: users }) })
    })

  return program
}

async function withDatabase<Result>(
  environment: Environment,
  work: (db: Database, starterCents: number) => Promise<Result>,
): Promise<Result> {
  const { success, data, error } = databaseSettings.safeParse(environment)
  if (!success) {
    const faults = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw new OperatorActionError(`settings of the origin: ${faults.join('; ')}`)
  }
  const { DATABASE_URL: url, SVC_DATABASE_CA: authorities, SVC_STARTER_CREDITS_CENTS: cents } = data
  const { db, close } = await openDatabase({ url, authorities })
  try {
    return await work(db, cents)
  } finally {
    await close()
  }
}

function edgeClient(url: string, environment: Environment, send: typeof fetch): EdgeClient {
  const token = environment['OPERATOR_TOKEN']
  if (token === undefined)
    throw new OperatorActionError('set OPERATOR_TOKEN in the environment, to the edge’s setting')
  return new EdgeClient(url, token, send)
}

/** The key must not be an argument, because other processes can read arguments. */
function keyOf(file: string): string {
  return readFileSync(file === '-' ? 0 : file, 'utf8').trim()
}

function textOf(max: number) {
  return (text: string): string => {
    if (text.trim().length > 0 && text.length <= max) return text.trim()
    throw new InvalidArgumentError(`expected 1 to ${max} characters`)
  }
}

function hashOf(text: string): string {
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) return text.toLowerCase()
  throw new InvalidArgumentError('expected 32 bytes in hex with 0x')
}

function centsOf(text: string): number {
  const cents = Number(text)
  if (/^-?[0-9]{1,9}$/.test(text) && cents !== 0) return cents
  throw new InvalidArgumentError('expected a whole number of cents other than 0')
}

/** Without TLS, the token could be read in transit. */
function httpsUrl(text: string): string {
  const url = URL.parse(text)
  const isPlain = url?.protocol === 'http:' && isLoopback(url.hostname)
  if (url?.protocol === 'https:' || isPlain) return text
  throw new InvalidArgumentError('expected an https URL')
}

if (import.meta.main) {
  try {
    const print = (result: object) => console.log(JSON.stringify(result, null, 2))
    await operatorProgram(print, process.env).parseAsync()
  } catch (error) {
    console.error(`operator: ${(error as Error).message}`)
    process.exitCode = 1
  }
}
