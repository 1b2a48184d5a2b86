/**
 * Measures `svc build` and `svc test` in a new project, with the packed command line: each in new processes, as a user runs
 * them. Budgets: 1 s for a build, 3 s for the tests of an example.
 */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cliPackage } from '../../shared/packaging/build-packages.ts'
import { CLI_PACKAGE } from '../../shared/packaging/package-names.ts'
import { startNpmRegistry } from '../doubles/npm-registry.ts'
import { median, report } from './report.ts'

const ROUNDS = 7
const root = fileURLToPath(new URL('../..', import.meta.url))
const EXAMPLE = 'examples/webhook'

const WITH_PACKAGES = `import { defineAction } from '${CLI_PACKAGE}/action'
import { encodeFunctionData, parseAbi } from 'viem'
import { z } from 'zod'
const abi = parseAbi(['function transfer(address to, uint256 amount)'])
const Params = z.object({ to: z.string(), amount: z.coerce.bigint() })
export default defineAction((params) => {
  const { to, amount } = Params.parse(params)
  return encodeFunctionData({ abi, args: [to as \`0x\${string}\`, amount] })
})
`

const EMPTY_TEST = `import { expect, it } from 'vitest'
it('is empty', () => expect(1).toBe(1))
`

export async function build(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-build-'))
  try {
    const { project, cli } = await createProject(folder)
    const execute = (file: string, ...args: string[]) =>
      execFileSync(file, args, {
        cwd: project,
        env: { PATH: process.env['PATH'], HOME: folder },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
    const svc = (...args: string[]) => execute(process.execPath, join(cli, 'dist/svc.js'), ...args)
    const esbuild = (entry: string) =>
      execute(join(root, 'node_modules/.bin/esbuild'), entry, '--bundle', '--outfile=plain.js')
    const vitest = (...args: string[]) =>
      execute(process.execPath, 'node_modules/vitest/vitest.mjs', 'run', ...args)

    for (const [metric, entry] of [
      ['svc_build_ms', 'src/confirm.ts'],
      ['svc_build_viem_zod_ms', 'src/with-packages.ts'],
    ] as const)
      compare(
        metric,
        () => svc('build', entry),
        () => esbuild(entry),
      )
    const started = performance.now()
    svc('test', 'test/confirm.test.ts')
    report({
      bench: 'build',
      metric: 'svc_test_first_ms',
      value: performance.now() - started,
      unit: 'ms',
    })
    compare(
      'svc_test_ms',
      () => svc('test', 'test/confirm.test.ts'),
      () => vitest('test/empty.test.ts'),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Installs the packages as in a user's project, because a build depends on how they are laid out. */
async function createProject(folder: string): Promise<{ project: string; cli: string }> {
  const project = join(folder, 'project')
  cpSync(join(root, EXAMPLE), project, { recursive: true })
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}')
  writeFileSync(join(project, 'src/with-packages.ts'), WITH_PACKAGES)
  writeFileSync(join(project, 'test/empty.test.ts'), EMPTY_TEST)
  const { folder: packed } = await cliPackage(folder)
  const registry = await startNpmRegistry(root, [packed])
  const install = ['install', '--no-audit', '--no-fund', '--registry', registry.url]
  const packages = [CLI_PACKAGE, 'esbuild', 'vitest', 'viem', 'zod']
  await promisify(execFile)('npm', [...install, '--cache', join(folder, 'cache'), ...packages], {
    cwd: project,
  })
  await registry.close()
  return { project, cli: join(project, 'node_modules', CLI_PACKAGE) }
}

/** Measures both in turn, and reports the medians. */
function compare(metric: string, measured: () => void, compared: () => void): void {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, run] of [measured, compared].entries()) {
      const started = performance.now()
      run()
      times[at]!.push(performance.now() - started)
    }
  const [value, baseline] = [median(times[0]), median(times[1])]
  report({ bench: 'build', metric, value, unit: 'ms', baseline, ratio: value / baseline })
}
