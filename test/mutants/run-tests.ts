/** Runs test files with Vitest, in a working copy. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { z } from 'zod'

/** `tests` is 0 for a file that fails to load. */
export type FileResult = { file: string; passed: boolean; tests: number; firstFailure?: string }

export type TestRun =
  | { state: 'ran'; files: readonly FileResult[]; output: string }
  | { state: 'timed_out' }
  /** Vitest itself failed. */
  | { state: 'broken'; output: string }

export type RunOptions = {
  /** Root folder of the working copy. */
  folder: string
  timeoutMs: number
  /** Stops at the first failure. */
  bail: boolean
}

const VITEST = ['node_modules/vitest/vitest.mjs']
const CONFIG = ['--config', 'test/vitest.config.ts']

/** Maximum output (stdout and stderr) kept to explain a broken run. */
const OUTPUT_CHARACTERS = 4_000

const resultsSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({
          status: z.string(),
          fullName: z.string(),
        }),
      ),
    }),
  ),
})

const listedSchema = z.array(z.object({ file: z.string(), projectName: z.string() }))

const running = new Set<ChildProcess>()

/** Kills all runs, including every process they started. */
export function killRuns(): void {
  for (const child of running) killGroup(child)
}

export async function runTests(files: readonly string[], options: RunOptions): Promise<TestRun> {
  const { folder, timeoutMs, bail } = options
  const temporary = temporaryFolder(folder)
  const results = join(temporary, 'results.json')
  const reporter = ['--reporter=json', `--outputFile=${results}`]
  const args = ['run', ...CONFIG, ...reporter, ...(bail ? ['--bail', '1'] : []), ...files]
  try {
    const ended = await vitest(args, { folder, temporary, timeoutMs })
    if (ended.timedOut) return { state: 'timed_out' }
    const read = resultsSchema.safeParse(jsonIn(results))
    if (!read.success || read.data.testResults.length === 0)
      return { state: 'broken', output: ended.output }
    const found = read.data.testResults.map((file) => fileResult(file, folder))
    return { state: 'ran', files: found, output: ended.output }
  } finally {
    rmSync(temporary, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Returns the Vitest project of each file. @throws {Error} if Vitest does not list a file */
export async function projectsOf(
  files: readonly string[],
  { folder, timeoutMs }: Omit<RunOptions, 'bail'>,
): Promise<Map<string, string>> {
  const temporary = temporaryFolder(folder)
  const list = join(temporary, 'list.json')
  try {
    const args = ['list', ...CONFIG, '--filesOnly', `--json=${list}`, ...files]
    const { output } = await vitest(args, { folder, temporary, timeoutMs })
    const read = listedSchema.safeParse(jsonIn(list))
    if (!read.success) throw new Error(`vitest lists no files: ${output}`)
    return new Map(read.data.map(({ file, projectName }) => [relative(folder, file), projectName]))
  } finally {
    rmSync(temporary, { recursive: true, force: true, maxRetries: 3 })
  }
}

function vitest(
  args: readonly string[],
  { folder, temporary, timeoutMs }: { folder: string; temporary: string; timeoutMs: number },
): Promise<{ timedOut: boolean; output: string }> {
  return new Promise((resolve, reject) => {
    const path = `${join(folder, 'node_modules/.bin')}:${process.env.PATH ?? ''}`
    const child = spawn(process.execPath, [...VITEST, ...args], {
      cwd: folder,
      env: { ...process.env, PATH: path, TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A separate process group, so that chains, workers and executors can be killed together.
      detached: true,
    })
    running.add(child)
    let output = ''
    const keep = (text: string) => {
      output = (output + text).slice(-OUTPUT_CHARACTERS)
    }
    child.stdout.setEncoding('utf8').on('data', keep)
    child.stderr.setEncoding('utf8').on('data', keep)
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      killGroup(child)
    }, timeoutMs)
    child.once('error', reject)
    child.once('exit', () => {
      clearTimeout(timer)
      running.delete(child)
      killGroup(child)
      resolve({ timedOut, output })
    })
  })
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The process group has already exited.
  }
}

/** Next to the copy, because tests create their own files in it. */
function temporaryFolder(folder: string): string {
  const parent = `${folder}.tmp`
  mkdirSync(parent, { recursive: true })
  return mkdtempSync(join(parent, 't-'))
}

function jsonIn(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

function fileResult(
  { name, status, assertionResults }: z.infer<typeof resultsSchema>['testResults'][number],
  folder: string,
): FileResult {
  const file = relative(folder, name)
  const failed = assertionResults.find((test) => test.status === 'failed')
  return {
    file,
    passed: status === 'passed',
    tests: assertionResults.length,
    ...(failed && { firstFailure: failed.fullName }),
  }
}
