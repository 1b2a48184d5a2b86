import type { Command } from 'commander'
import type { TestFields } from '../../../client/triggers/records.ts'
import type { Cli } from '../../cli.ts'
import { addExamples } from '../examples.ts'
import { UsageError } from '../../terminal.ts'
import { waitAndPrintRun } from './run-lines.ts'
import { collectOption, type GivenParams, jsonOf, paramsOf } from '../option-values.ts'
import { TRIGGER_ARGUMENT, resolveTriggerId } from './resolve-ids.ts'

type Given = GivenParams & { event?: string; eventFile?: string; wait: boolean }

export function registerTest(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('test')
    .description('Make a real run with your own event, and wait for it; exit code 1 if it failed.')
    .argument('<trigger>', TRIGGER_ARGUMENT)
    .option('--event <json>', 'webhooks: the JSON that a sender would post')
    .option('--event-file <file>', 'file with that JSON; - for standard input')
    .option(
      '--params <key=value>',
      'parameter that the event would add; the value is JSON or text; can be repeated',
      collectOption,
    )
    .option('--params-file <file>', 'file with such parameters as a JSON object')
    .option('--no-wait', 'queue the run without waiting for it')
  cli.withDeploymentOptions(command)
  addExamples(command, [`svc trigger test greeter --event '{"name": "Ada"}'`])
  command.action(async (named: string, given: Given) => {
    const fields = await testFields(cli, given)
    const { triggers } = await cli.client(command, { token: true })
    const queued = await triggers.test(await resolveTriggerId(triggers, named), fields)
    if (given.wait) return waitAndPrintRun(cli, command, triggers, queued.run_id)
    cli.print(command, queued, () => [`queued ${queued.run_id}`])
  })
}

type Fired = { body?: string; bodyFile?: string; header?: string[]; wait: boolean }

export function registerFire(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('fire')
    .description('Post to the webhook as a sender would, byte for byte.')
    .argument('<trigger>', TRIGGER_ARGUMENT)
    .option('--body <text>', 'body to post')
    .option('--body-file <file>', 'file with the body; - for standard input')
    .option(
      '--header <name: value>',
      'header to send, such as a signature; can be repeated',
      collectOption,
    )
    .option('--no-wait', 'queue the run without waiting for it')
  cli.withDeploymentOptions(command)
  addExamples(command, [
    `svc trigger fire greeter --body '{"name": "Grace"}' --header "X-Event: push"`,
  ])
  command.action(async (named: string, { body, bodyFile, header = [], wait }: Fired) => {
    const posted = bodyFile === undefined ? (body ?? '') : await cli.text(bodyFile)
    const { triggers } = await cli.client(command, { token: true })
    const id = await resolveTriggerId(triggers, named)
    const fired = await triggers.fire(id, posted, Object.fromEntries(header.map(headerOf)))
    if (fired.status === 'filtered')
      return cli.print(command, fired, () => ['filtered: the trigger’s filter does not match'])
    if (wait) return waitAndPrintRun(cli, command, triggers, fired.run_id)
    cli.print(command, fired, () => [`queued ${fired.run_id}`])
  })
}

async function testFields(cli: Cli, given: Given): Promise<TestFields> {
  const { event, eventFile } = given
  const params = await paramsOf(cli, given)
  const ways = [params, event, eventFile].filter((way) => way !== undefined)
  if (ways.length > 1) throw new UsageError('use only one of --event, --event-file and --params')
  if (event !== undefined) return { event: jsonOf('--event', event) }
  if (eventFile !== undefined) return { event: jsonOf('--event-file', await cli.text(eventFile)) }
  return { params: params ?? {} }
}

function headerOf(text: string): [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*)$/.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new UsageError('--header: expected "name: value"')
  return [name, value]
}
