/**
 * `npm run mutants`: applies each mutant of `list/` to a copy of the tree, runs the tests that should detect it, and
 * reports the mutants that survive. Exits with 1 if fewer than 95 % are killed. Takes 15 minutes on an idle machine.
 *
 *     npm run mutants -- --only queue-batch-over-cap --only edge/identity --results mutants.jsonl
 */
import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { problemsOf } from './check-list.ts'
import { MUTANTS } from './list/index.ts'
import type { Mutant } from './mutant.ts'
import { isEnough, lineOf, report } from './report.ts'
import { killRuns, projectsOf, runTests } from './run-tests.ts'
import { judged, notJudged, type Verdict, verdictOn } from './verdict.ts'
import { WorkingCopy } from './working-copy.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))

/** A mutant counts as killed if its tests have not finished by then. */
const MUTANT_TIMEOUT_MS = 5 * 60_000
/** Time limit for all test files of a project, without a mutant. */
const UNMUTATED_TIMEOUT_MS = 20 * 60_000
const LIST_TIMEOUT_MS = 3 * 60_000

/** Number of copies tested in parallel. */
const COPIES = 2

/** A project with timing assertions. It runs without another copy in parallel. */
const ALONE = 'system'

const { values: options } = parseArgs({
  options: { only: { type: 'string', multiple: true }, results: { type: 'string' } },
})

const began = performance.now()
const mutants = MUTANTS.filter(isSelected)
const problems = problemsOf(mutants, repository)
if (problems.length > 0 || mutants.length === 0) {
  for (const problem of problems) console.error(problem)
  if (mutants.length === 0) console.error('--only selects no mutant')
  process.exit(2)
}

const temporary = mkdtempSync(join(tmpdir(), 'mutants-'))
// Postgres refuses to run as root, so another user runs its binaries from this folder.
chmodSync(temporary, 0o755)
process.on('exit', removeCopies)
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.on(signal, () => process.exit(code))

if (options.results !== undefined) writeFileSync(options.results, '')
const copies = Array.from(
  { length: COPIES },
  (_, index) => new WorkingCopy(repository, join(temporary, String(index))),
)
const verdicts = await judge(mutants)
console.log(report(verdicts, performance.now() - began))
process.exit(isEnough(verdicts) ? 0 : 1)

function isSelected({ id, file }: Mutant): boolean {
  const { only } = options
  return only === undefined || only.some((text) => id === text || file.includes(text))
}

/** Retries, because a process may still be writing files while they are deleted. */
function removeCopies(): void {
  killRuns()
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}

async function judge(selected: readonly Mutant[]): Promise<Verdict[]> {
  const files = [...new Set(selected.flatMap(({ tests }) => tests))]
  const folder = copies[0]!.folder
  const projects = await projectsOf(files, { folder, timeoutMs: LIST_TIMEOUT_MS })
  const failing = await filesThatFail(files, projects)
  const verdictsSoFar: Verdict[] = []
  const record = (verdict: Verdict) => {
    verdictsSoFar.push(verdict)
    console.log(lineOf(verdict))
    if (options.results !== undefined)
      appendFileSync(options.results, `${JSON.stringify(verdict)}\n`)
  }
  const isAlone = ({ tests }: Mutant) => tests.some((test) => projects.get(test) === ALONE)
  const byProject = selected.toSorted((one, other) => {
    const [a = '', b = ''] = [one, other].map(({ tests }) => projects.get(tests[0]!))
    return a < b ? -1 : Number(a > b)
  })
  const work = async (mutant: Mutant, copy: WorkingCopy) =>
    record(await judgeOne(mutant, copy, failing))
  await eachOnCopies(
    byProject.filter((mutant) => !isAlone(mutant)),
    copies,
    work,
  )
  await eachOnCopies(byProject.filter(isAlone), copies.slice(0, 1), work)
  return verdictsSoFar
}

async function judgeOne(
  mutant: Mutant,
  copy: WorkingCopy,
  failing: ReadonlySet<string>,
): Promise<Verdict> {
  const broken = mutant.tests.filter((test) => failing.has(test))
  if (broken.length > 0)
    return verdictOn(mutant, notJudged(`${broken.join(', ')} fails without the mutant`), 0)
  const start = performance.now()
  const { folder } = copy
  const run = await copy.mutated(mutant, () =>
    runTests(mutant.tests, { folder, timeoutMs: MUTANT_TIMEOUT_MS, bail: true }),
  )
  return verdictOn(mutant, judged(run), performance.now() - start)
}

/** Runs every test file once without a mutant, one project at a time. Reruns each failed file alone. */
async function filesThatFail(
  files: readonly string[],
  projects: ReadonlyMap<string, string>,
): Promise<Set<string>> {
  const failing = new Set(files)
  const pass = async (some: readonly string[], { folder }: WorkingCopy): Promise<void> => {
    const run = await runTests(some, { folder, timeoutMs: UNMUTATED_TIMEOUT_MS, bail: false })
    if (run.state === 'timed_out') console.log('unmutated  the tests did not end in time')
    if (run.state === 'broken') console.log(`unmutated  vitest failed: ${run.output}`)
    if (run.state !== 'ran') return
    for (const { file, passed, firstFailure = 'it does not load' } of run.files)
      if (passed) failing.delete(file)
      else console.log(`unmutated  ${file} fails: ${firstFailure}`)
  }
  const work = async (project: string, copy: WorkingCopy) => {
    const ofProject = files.filter((file) => projects.get(file) === project)
    await pass(ofProject, copy)
    console.log(`unmutated  ${project}: ${ofProject.length} files`)
  }
  const names = [...new Set(projects.values())].toSorted()
  await eachOnCopies(
    names.filter((name) => name !== ALONE),
    copies,
    work,
  )
  const alone = copies.slice(0, 1)
  await eachOnCopies(
    names.filter((name) => name === ALONE),
    alone,
    work,
  )
  // A test may time out on a busy machine.
  await eachOnCopies([...failing], alone, async (file, copy) => {
    await pass([file], copy)
    if (!failing.has(file)) console.log(`unmutated  ${file} passes by itself`)
  })
  return failing
}

/** Processes the items in order, one at a time per copy. */
async function eachOnCopies<Item>(
  items: readonly Item[],
  on: readonly WorkingCopy[],
  work: (item: Item, copy: WorkingCopy) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  await Promise.all(
    on.map(async (copy) => {
      for (const item of waiting) await work(item, copy)
    }),
  )
}
