import { existsSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import type { Mutant } from './mutant.ts'

/**
 * Returns the problems of the list, such as a mutant that no longer matches its file or that could only break loading.
 */
export function problemsOf(mutants: readonly Mutant[], repository: string): string[] {
  const ids = mutants.map(({ id }) => id)
  const repeated = ids.filter((id, index) => ids.indexOf(id) !== index)
  return [
    ...repeated.map((id) => `${id}: the id occurs twice`),
    ...mutants.flatMap((mutant) => problemsOfOne(mutant, repository)),
  ]
}

function problemsOfOne({ id, file, from, to, tests }: Mutant, repository: string): string[] {
  const missing = tests.filter((test) => !existsSync(join(repository, test)))
  const problems = missing.map((test) => `${id}: there is no ${test}`)
  if (tests.length === 0) problems.push(`${id}: names no tests`)
  if (!existsSync(join(repository, file))) return [...problems, `${id}: there is no ${file}`]
  const source = readFileSync(join(repository, file), 'utf8')
  const count = source.split(from).length - 1
  if (count !== 1)
    problems.push(`${id}: its text occurs ${count} times in ${file}, instead of once`)
  else if (from === to) problems.push(`${id}: changes nothing`)
  else if (!isSyntax(source.replace(from, () => to))) problems.push(`${id}: does not parse`)
  return problems
}

function isSyntax(source: string): boolean {
  try {
    stripTypeScriptTypes(source)
    return true
  } catch {
    return false
  }
}
