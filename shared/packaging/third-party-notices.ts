import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Metafile } from 'esbuild'

type InstalledPackage = { name: string; version: string; license?: string }

const LICENSE_FILE = /^(licen[sc]e|notice)(\.(md|txt|mit|markdown))?$/i

/** Returns the paths of the files whose code is in the bundles. */
export function bundledFiles(metafiles: readonly Metafile[]): string[] {
  return metafiles
    .flatMap(({ outputs }) => Object.values(outputs).map(({ inputs }) => inputs))
    .flatMap((inputs) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => path)
}

/**
 * Returns the licenses of the packages that the files belong to, as their authors require.
 * @param root folder to which the paths of the files are relative
 * @throws {Error} if a package has neither a license file nor a license field
 */
export function thirdPartyNotices(root: string, files: readonly string[]): string {
  const folders = new Set(
    files
      .map((path) => packageFolder(resolve(root, path)))
      .filter((folder) => folder !== undefined),
  )
  const notices = [...folders].map((folder) => {
    const { name, version, license } = readPackage(folder)
    return { title: `${name} ${version}`, text: licenseText(folder) ?? license }
  })
  return notices
    .toSorted((one, other) => (one.title < other.title ? -1 : 1))
    .map(({ title, text }) => {
      if (text === undefined) throw new Error(`${title} has no license`)
      return `${title}\n\n${text.trim()}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}

/** Returns undefined for the project's own files and for modules that a plugin generates. */
function packageFolder(path: string): string | undefined {
  if (!path.includes('/node_modules/')) return undefined
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'package.json')
    // Some packages have further package.json files that only set the type of modules.
    if (existsSync(file) && readPackage(folder).version !== undefined) return folder
  }
  return undefined
}

function readPackage(folder: string): InstalledPackage {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as InstalledPackage
}

function licenseText(folder: string): string | undefined {
  const files = readdirSync(folder).filter((file) => LICENSE_FILE.test(file))
  if (files.length === 0) return undefined
  return files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
}
