import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { migratedSqlite } from '../previous-version/sqlite-schema.ts'

const folder = fileURLToPath(new URL('../../drizzle', import.meta.url))

/** Changes from before the first release, which no deployed version depends on. */
const BEFORE_THE_FIRST_RELEASE = [
  'origin/0002_money.sql: CREATE TRIGGER "ledger_transfers_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "ledger_transfers" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_ledger_change"()',
  'trigger-queue/0001_options-and-history.sql: ALTER TABLE `trigger` DROP COLUMN `sealed_usage_key`',
]

/**
 * Returns the statements of a migration that can break the previous version of the code, which runs on the new schema
 * during an upgrade and after a rollback.
 */
function breaking(migration: string): string[] {
  const statements = migration
    .split('--> statement-breakpoint')
    .map((statement) => statement.trim().replace(/;$/, ''))
  const created = new Set(
    statements.flatMap((statement) => /^CREATE TABLE (\S+)/.exec(statement)?.[1] ?? []),
  )
  return statements.filter((statement) => statement !== '' && !onlyAdds(statement, created))
}

/** @param created tables that the same migration creates, which the previous version does not use */
function onlyAdds(statement: string, created: ReadonlySet<string>): boolean {
  const uniqueIndex = /^CREATE UNIQUE INDEX \S+ ON (\S+)/.exec(statement)
  if (uniqueIndex) return created.has(uniqueIndex[1]!)
  const altered = /^ALTER TABLE (\S+) /.exec(statement)
  if (altered && created.has(altered[1]!)) return true
  if (/^ALTER TABLE \S+ ADD (COLUMN )?(?!CONSTRAINT)/.test(statement))
    return !/NOT NULL/.test(statement) || /DEFAULT/.test(statement)
  const trigger = /^CREATE TRIGGER \S+ .* ON (\S+)/s.exec(statement)
  if (trigger) return created.has(trigger[1]!)
  // An index may be replaced: no statement names one.
  return /^(CREATE TABLE|CREATE INDEX|DROP INDEX|CREATE FUNCTION|INSERT INTO) /.test(statement)
}

describe('a migration', () => {
  it('only adds to the schema, so that the previous version of the code still works', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.sql'),
    )
    expect(files.length).toBeGreaterThan(15)
    const found = files
      .toSorted()
      .flatMap((file) =>
        breaking(readFileSync(`${folder}/${file}`, 'utf8')).map(
          (statement) => `${file}: ${statement}`,
        ),
      )
    expect(found).toEqual(BEFORE_THE_FIRST_RELEASE)
  })

  it.each([
    'DROP TABLE `runs`',
    'ALTER TABLE `runs` DROP COLUMN `test`',
    'ALTER TABLE "payments" RENAME COLUMN "look_at" TO "check_at"',
    'ALTER TABLE `runs` RENAME TO `executions`',
    'ALTER TABLE "payments" ADD COLUMN "payer" text NOT NULL',
    'ALTER TABLE "payments" ALTER COLUMN "payer" SET NOT NULL',
    'ALTER TABLE "payments" ADD CONSTRAINT "positive" CHECK (cents > 0)',
    'CREATE UNIQUE INDEX `runs_replay` ON `runs` (`replay_of`)',
    'CREATE TRIGGER "t" BEFORE UPDATE ON "payments" FOR EACH ROW EXECUTE FUNCTION "f"()',
    'UPDATE `runs` SET `status` = 1',
    'DELETE FROM `runs`',
  ])('is found if it would break the previous version: %s', (statement) => {
    const migration = `CREATE TABLE \`new\` (\`id\` text);\n--> statement-breakpoint\n${statement};`
    expect(breaking(migration)).toEqual([statement])
  })

  it.each([
    'ALTER TABLE `runs` ADD `reorged` integer DEFAULT false NOT NULL',
    'ALTER TABLE "payments" ADD COLUMN "usage_key_hash" text',
    'CREATE UNIQUE INDEX `new_name` ON `new` (`name`)',
    'ALTER TABLE `new` ADD CONSTRAINT "c" FOREIGN KEY ("a") REFERENCES "b"("c")',
  ])('is accepted if it only adds: %s', (statement) => {
    const migration = `CREATE TABLE \`new\` (\`id\` text);\n--> statement-breakpoint\n${statement};`
    expect(breaking(migration)).toEqual([])
  })
})

describe('the previous version of the edge', () => {
  it.each([
    ['edge', 30],
    ['trigger-queue', 60],
    ['chain-watcher', 20],
  ] as const)('can execute its statements on the current schema of %s', (name, atLeast) => {
    const fixture = new URL(`../previous-version/fixture/${name}.json`, import.meta.url)
    const { statements } = JSON.parse(readFileSync(fixture, 'utf8')) as { statements: string[] }
    expect(statements.length).toBeGreaterThan(atLeast)
    const sqlite = migratedSqlite(name)
    for (const statement of statements)
      expect(() => sqlite.prepare(statement), statement).not.toThrow()
  })
})
