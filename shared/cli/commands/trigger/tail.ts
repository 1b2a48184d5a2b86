import type { Command } from 'commander'
import type { Cli } from '../../cli.ts'
import { addExamples } from '../examples.ts'
import { EXIT, jsonText } from '../../terminal.ts'
import { runListLines } from './run-lines.ts'
import { TRIGGER_ARGUMENT, resolveTriggerId } from './resolve-ids.ts'

type Given = { since?: string; once?: true; json?: true }

export function registerTail(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('tail')
    .description(
      'Print runs of a trigger as they end, until Ctrl-C. With --json, one run per line.',
    )
    .argument('<trigger>', TRIGGER_ARGUMENT)
    .option('--since <time>', 'also print runs queued since this time (RFC 3339)')
    .option('--once', 'exit after the first run; exit code 1 if it failed')
  cli.withDeploymentOptions(command)
  addExamples(command, ['svc trigger tail greeter --since 2026-01-01T00:00:00Z --once'])
  command.action(async (named: string, { since, once, json }: Given) => {
    const { triggers } = await cli.client(command, { token: true })
    const id = await resolveTriggerId(triggers, named)
    const runs = triggers.watchRuns(id, since === undefined ? {} : { since })
    cli.progress(command, `waiting for runs of ${id}`)
    for await (const run of runs) {
      const lines = json ? [jsonText(run)] : runListLines([run])
      cli.terminal.write(`${lines.join('\n')}\n`)
      if (!once) continue
      if (run.status === 'failed') cli.exit(EXIT.failed)
      return
    }
  })
}
