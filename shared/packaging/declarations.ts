/**
 * Builds type declarations as one file that needs neither zod nor the DOM library
 * (docs/decisions/0091-packages.md).
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { generateDtsBundle } from 'dts-bundle-generator'
// The project's own TypeScript 7 has no stable API yet.
import ts from 'dts-bundle-generator/node_modules/typescript/lib/typescript.js'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const OPTIONS = {
  strict: true,
  target: 'es2024',
  lib: ['es2024', 'webworker'],
  module: 'nodenext',
  types: [],
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
}

/**
 * Types of web platform classes. A program without the DOM library or Node's types gets `any` for them instead of an
 * error.
 */
const webClass = (name: string) =>
  `type ${name} = typeof globalThis extends { ${name}: { prototype: infer T } } ? T : any;`

const FETCH =
  'declare const fetch: typeof globalThis extends { fetch: infer T } ? T : (input: any, init?: any) => Promise<any>;'

/** @returns the text of `index.d.ts` of the client */
export async function clientDeclarations(): Promise<string> {
  const bundle = await bundledDeclarations('declarations.tsconfig.json', 'client/index.d.ts')
  return [webClass('AbortSignal'), webClass('URL'), FETCH, bundle].join('\n')
}

/** @returns the text of `test.d.ts` of the command line's package */
export async function testingDeclarations(): Promise<string> {
  const entry = 'origin/testing/index.d.ts'
  const bundle = await bundledDeclarations('testing-declarations.tsconfig.json', entry)
  const matchers = readFileSync(here('../../origin/testing/matchers.ts'), 'utf8')
  // Bundled with vitest's own types, it would need the types of Node.
  const [augmentation] = /^declare module 'vitest' \{.*?^\}$/ms.exec(matchers)!
  return [webClass('Response'), bundle, augmentation, ''].join('\n')
}

/**
 * @param project file in this folder
 * @param entry path of the entry point's declarations in the output
 */
async function bundledDeclarations(project: string, entry: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-declarations-'))
  try {
    const tsc = here('../../node_modules/typescript/bin/tsc')
    await promisify(execFile)(process.execPath, [tsc, '-p', here(project), '--outDir', folder])
    const config = join(folder, 'tsconfig.json')
    // Packages are found from here, because the declarations are in a temporary folder.
    const paths = { '*': [here('../../node_modules/*')] }
    writeFileSync(config, JSON.stringify({ compilerOptions: { ...OPTIONS, paths } }))
    const [bundle] = generateDtsBundle(
      [
        {
          filePath: join(folder, entry),
          output: { noBanner: true, exportReferencedTypes: false },
        },
      ],
      { preferredConfigPath: config },
    )
    const file = join(folder, 'bundle.d.ts')
    writeFileSync(file, bundle!)
    return withoutSchemas(file, config)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Removes schemas, and replaces the types that are computed from them by what they evaluate to. */
function withoutSchemas(file: string, config: string): string {
  const { config: parsed } = ts.readConfigFile(config, (path) => ts.sys.readFile(path))
  const { options } = ts.parseJsonConfigFileContent(parsed, ts.sys, join(config, '..'))
  const program = ts.createProgram([file], options)
  const source = program.getSourceFile(file)!
  const checker = program.getTypeChecker()
  const edits: { from: number; to: number; text: string }[] = []
  const replace = (node: ts.Node, text: string): void => {
    edits.push({ from: node.getStart(source), to: node.getEnd(), text })
  }
  const { NoTruncation, InTypeAlias } = ts.TypeFormatFlags
  const flags: ts.TypeFormatFlags = NoTruncation | InTypeAlias
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || isSchema(node, source)) return replace(node, '')
    if (ts.isTypeNode(node) && isComputed(node, source))
      return replace(node, checker.typeToString(checker.getTypeFromTypeNode(node), node, flags))
    ts.forEachChild(node, visit)
  }
  ts.forEachChild(source, visit)
  let { text } = source
  for (const edit of edits.toReversed())
    text = text.slice(0, edit.from) + edit.text + text.slice(edit.to)
  return text.replaceAll(/^;?\n/gm, '')
}

const SCHEMA_TYPE = /^z\./
const COMPUTED_TYPE = /^z\.(infer|input|output)</

/** True for the declaration of a schema, which is an implementation detail. */
function isSchema(node: ts.Node, source: ts.SourceFile): boolean {
  return (
    ts.isVariableStatement(node) &&
    node.declarationList.declarations.every(
      ({ type }) => type && SCHEMA_TYPE.test(type.getText(source)),
    )
  )
}

function isComputed(node: ts.TypeNode, source: ts.SourceFile): boolean {
  if (ts.isIndexedAccessTypeNode(node)) return isComputed(node.objectType, source)
  return ts.isTypeReferenceNode(node) && COMPUTED_TYPE.test(node.getText(source))
}
