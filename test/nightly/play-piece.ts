import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TaskMeta } from 'vitest'
import { campaignOf } from './campaigns.ts'
import { added } from './figures.ts'
import type { Piece } from './pieces.ts'
import type { Finished } from './progress.ts'
import { clearScratch } from './scratch.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const VITEST = join(root, 'node_modules', 'vitest', 'vitest.mjs')

/** Number of characters recorded per failure. The log of the piece has the full text. */
const FAILURE_CHARACTERS = 500

/** The fields of Vitest's JSON report that are used. */
export type Report = {
  testResults: {
    message: string
    assertionResults: {
      status: string
      title: string
      failureMessages: string[]
      meta: TaskMeta
    }[]
  }[]
}

export type Outcome = Pick<Finished, 'passed' | 'figures' | 'failedSeeds' | 'failures'>

/**
 * Plays a piece in a Vitest process.
 * @param log file for its output
 * @returns undefined if interrupted
 */
export async function playPiece(
  { campaign, first, count }: Piece,
  { scratch, log, interrupted }: { scratch: string; log: string; interrupted: AbortSignal },
): Promise<Outcome | undefined> {
  const { vitest, minutesMax } = campaignOf(campaign)
  await clearScratch(scratch)
  mkdirSync(dirname(log), { recursive: true })
  const reportFile = `${log}.json`
  const output = openSync(log, 'w')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
  const child = spawn(process.execPath, [VITEST, 'run', ...vitest, ...reporters], {
    cwd: root,
    env: { ...process.env, SVC_SEED: String(first), SVC_COUNT: String(count), TMPDIR: scratch },
    // Detached from the terminal's process group: Ctrl-C reaches only this process, which then stops the others.
    detached: true,
    stdio: ['ignore', output, output],
    signal: interrupted,
    timeout: minutesMax * 60_000,
    killSignal: 'SIGKILL',
  })
  closeSync(output)
  // An interruption emits an error event too.
  child.on('error', () => {})
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.once('close', (...end) => resolve(end)),
  )
  await clearScratch(scratch)
  if (interrupted.aborted) return undefined
  if (signal !== null)
    return { passed: false, failures: [`ended by ${signal}, which it is after ${minutesMax} min`] }
  const report = readReport(reportFile)
  rmSync(reportFile, { force: true })
  return report ? outcomeOf(report, code) : { passed: false, failures: [`ended with ${code}`] }
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch {
    return undefined
  }
}

/** @param code exit code of Vitest, which is also non-zero for errors outside of tests */
export function outcomeOf({ testResults }: Report, code: number | null): Outcome {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const failures = [
    ...testResults.map(({ message }) => message),
    ...tests.flatMap(({ failureMessages }) => failureMessages),
  ].filter((text) => text !== '')
  const played = tests.filter(({ status }) => ['passed', 'failed'].includes(status))
  if (played.length === 0) failures.push('no test was run')
  const failedSeeds = played.flatMap(({ meta }) => meta.failedSeeds ?? [])
  if (code !== 0 && failures.length === 0) failures.push(`vitest ended with ${code}`)
  return {
    passed: failures.length === 0,
    figures: added(played.map(({ meta }) => meta.figures ?? {})),
    ...(failedSeeds.length > 0 && { failedSeeds }),
    ...(failures.length > 0 && {
      failures: failures.map((text) => text.slice(0, FAILURE_CHARACTERS)),
    }),
  }
}
