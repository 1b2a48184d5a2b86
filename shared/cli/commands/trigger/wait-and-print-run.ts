import type { Command } from 'commander'
import type { TriggerOperations } from '../../../client/triggers/triggers.ts'
import type { Cli } from '../../cli.ts'
import { EXIT } from '../../terminal.ts'
import { runLines } from './run-lines.ts'

/** Waits for the run to finish. Sets the exit code to `EXIT.failed` if the run failed. */
export async function waitAndPrintRun(
  cli: Cli,
  command: Command,
  triggers: TriggerOperations,
  runId: string,
): Promise<void> {
  cli.progress(command, `queued ${runId}`)
  const run = await triggers.waitForRun(runId)
  cli.print(command, run, () => runLines(run))
  if (run.status === 'failed') cli.exit(EXIT.failed)
}
