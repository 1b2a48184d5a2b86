import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { exitOf, spawnNode } from '../child-process.ts'
import type { Cli } from '../cli.ts'
import { UsageError } from '../terminal.ts'
import { addExamples } from './examples.ts'

/** Makes `recording()` record (`origin/testing/recording-file.ts`). */
const RECORD = { SVC_TEST_RECORD: '1' }

type Given = { record?: boolean; watch?: boolean }

export function registerTest(program: Command, { terminal, exit }: Cli): void {
  const command = program
    .command('test')
    .description('Run the tests of actions with the vitest of the project, without a stack.')
    .argument('[arguments...]', 'arguments of vitest, such as names of files, or -t <name>')
    .option('--record', 'send requests over the network, and replace the recordings')
    .option('--watch', 'run tests again whenever a file changes')
    .allowUnknownOption()
    .action(async (args: string[], { record, watch }: Given) => {
      const vitest = [vitestOf(terminal.folder), watch ? 'watch' : 'run', ...args]
      const environment = record ? RECORD : {}
      exit(await exitOf(spawnNode(vitest, terminal, { environment, stdio: 'inherit' })))
    })
  addExamples(command, ['svc test', 'svc test test/action.test.ts --record'])
}

/** @throws {UsageError} if the project has no vitest */
function vitestOf(folder: string): string {
  try {
    const manifest = createRequire(join(folder, 'package.json')).resolve('vitest/package.json')
    return join(dirname(manifest), 'vitest.mjs')
  } catch {
    throw new UsageError(
      'vitest is not installed in this folder; install it with npm install --save-dev vitest',
    )
  }
}
