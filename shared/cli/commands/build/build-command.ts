import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { buildAction, type ModuleSize } from '../../../build/build-action.ts'
import { actionCid } from '../../../cid/compute-cid.ts'
import { cidHash } from '../../../cid/cid-format.ts'
import { writeWarnings } from '../../action-source.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../terminal.ts'
import { columns } from '../columns.ts'

export type GivenBuild = { out?: string; minify?: boolean; json?: boolean }

/** Packages in the size report. The rest is summed up in one line. */
const PACKAGES_SHOWN = 15

/** @throws {ActionBuildError} */
export async function buildCommand(
  entry: string,
  { out, minify = false }: GivenBuild,
  command: Command,
  cli: Cli,
): Promise<void> {
  const { terminal } = cli
  const path = resolve(terminal.folder, entry)
  const { code, map, root, sizes, warnings, inputs } = await buildAction(path, { minify })
  const name = basename(entry, extname(entry))
  const file = out === undefined ? join(root, 'dist', `${name}.js`) : resolve(terminal.folder, out)
  // `svc build action.js --out action.js` would overwrite the source.
  if (inputs.includes(realPath(file)))
    throw new UsageError(`${file} is a source of the action; use another --out`)
  write(file, code)
  write(`${file}.map`, map)
  writeWarnings(warnings, terminal)
  const cid = await actionCid(code)
  const shown = relative(terminal.folder, file) || file
  const built = {
    file,
    cid,
    cid_hash: cidHash(cid),
    bytes: Buffer.byteLength(code),
    packages: sizes,
    warnings,
  }
  cli.print(command, built, () => [
    ...columns([
      [shown, formatBytes(built.bytes)],
      ...sizeRows(sizes).map(([title, bytes]) => [`  ${title}`, bytes]),
    ]),
    cid,
  ])
}

/** The inputs have no symbolic links, but the path of the output may have. */
function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

function sizeRows(sizes: readonly ModuleSize[]): [string, string][] {
  const rows = sizes.map(({ name, bytes }): [string, string] => [name, formatBytes(bytes)])
  const rest = sizes.slice(PACKAGES_SHOWN)
  if (rest.length === 0) return rows
  const restBytes = rest.reduce((sum, { bytes }) => sum + bytes, 0)
  return [...rows.slice(0, PACKAGES_SHOWN), [`${rest.length} more`, formatBytes(restBytes)]]
}

function formatBytes(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KiB`
}

function write(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`)
  }
}
