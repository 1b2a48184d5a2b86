/**
 * Compares the declarations of `shared/action/` with the sandbox, in both directions: what is declared exists, with the same
 * number of arguments, and what exists is declared.
 */
import { fileURLToPath } from 'node:url'
// The project's own TypeScript 7 has no stable API yet.
import ts from 'dts-bundle-generator/node_modules/typescript/lib/typescript.js'
import { describe, expect, it } from 'vitest'
import {
  ETHERS_DECLARATIONS,
  ethersDeclarations,
} from '../../../shared/packaging/ethers-declarations.ts'
import { readFileSync } from 'node:fs'
import { sharedPool } from './sandbox.ts'

const sandbox = sharedPool({ min: 1, max: 1 })
const action = fileURLToPath(new URL('../../../shared/action/', import.meta.url))
const program = ts.createProgram([`${action}globals.d.ts`], {
  lib: ['lib.es2023.d.ts'],
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.Preserve,
  types: [],
  strict: true,
  noEmit: true,
})
const checker = program.getTypeChecker()
const here = program.getSourceFile(`${action}globals.d.ts`)!

/** Names that TypeScript declares for every program, and that the sandbox does not have. */
const ONLY_DECLARED = ['Atomics', 'Intl', 'SharedArrayBuffer']

type Signatures = { min: number; max: number }
/** A member of a global, by its path, such as `AbortSignal.prototype.aborted`. */
type Declared = {
  path: string[]
  /** Undefined for what is not a function, and for the language's own functions. */
  call?: Signatures
}
/** An object of the sandbox, with the names of its members that are declared. */
type Container = { path: string[]; names: string[] }

const declared: Declared[] = []
const containers: Container[] = []

const fileOf = (symbol: ts.Symbol) => symbol.declarations?.[0]?.getSourceFile().fileName ?? ''
const isOurs = (symbol: ts.Symbol) => fileOf(symbol).startsWith(action)

/** Numbers of arguments: `min` are required in each overload, and `max` are possible in one. */
function argumentsOf(signatures: readonly ts.Signature[]): Signatures {
  const counts = signatures.map(({ parameters }) => {
    const nodes = parameters.map(
      ({ valueDeclaration }) => valueDeclaration as ts.ParameterDeclaration,
    )
    const isOptional = (node: ts.ParameterDeclaration) =>
      !!node.questionToken || !!node.dotDotDotToken
    const required = nodes.findIndex(isOptional)
    const hasRest = nodes.some((node) => node.dotDotDotToken)
    return { min: required < 0 ? nodes.length : required, max: hasRest ? Infinity : nodes.length }
  })
  return {
    min: Math.min(...counts.map(({ min }) => min)),
    max: Math.max(...counts.map(({ max }) => max)),
  }
}

const isMethod = ({ flags }: ts.Symbol) =>
  (flags & (ts.SymbolFlags.Method | ts.SymbolFlags.Accessor)) !== 0
const isAbstract = ({ valueDeclaration: node }: ts.Symbol) =>
  (ts.getCombinedModifierFlags(node!) & ts.ModifierFlags.Abstract) !== 0

/** True for optional members, and for RegExp's legacy members, which the engine lacks. */
const isNotEverywhere = ({ flags, declarations = [] }: ts.Symbol) =>
  (flags & ts.SymbolFlags.Optional) !== 0 || declarations.some(ts.getJSDocDeprecatedTag)

const nameOf = (symbol: ts.Symbol) =>
  symbol.name.startsWith('__@iterator') ? 'Symbol.iterator' : symbol.name

/** Adds a value and its members. `isExact` is false for compiled code, whose functions count optional arguments. */
function addValue(symbol: ts.Symbol, path: string[], isExact: boolean): void {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const isLanguage = !isOurs(target)
  if (target.flags & (ts.SymbolFlags.Module | ts.SymbolFlags.Enum) && !isLanguage) {
    declared.push({ path })
    const exported = checker.getExportsOfModule(target).filter(isValue)
    for (const member of exported) addValue(member, [...path, member.name], isExact)
    containers.push({ path, names: exported.map(({ name }) => name) })
    return
  }
  const type = checker.getTypeOfSymbolAtLocation(target, here)
  const constructors = type.getConstructSignatures()
  const calls = type.getCallSignatures()
  const allow = (found: Signatures) => (isExact ? { min: found.min, max: found.min } : found)
  if (constructors.length > 0) {
    // A compiled class without a constructor takes no arguments, whatever its superclass takes.
    declared.push(isExact && !isLanguage ? { path, call: argumentsOf(constructors) } : { path })
    const isStatic = ({ name, flags }: ts.Symbol) =>
      name !== 'prototype' && (isExact || (flags & ts.SymbolFlags.Method) !== 0)
    const statics = type.getProperties().filter(isStatic)
    addMembers(statics, path, isLanguage, isExact)
    const prototype = [...path, 'prototype']
    // Compiled classes assign their fields, which only an instance has, and lack abstract methods.
    const isMember = (member: ts.Symbol) =>
      isExact && !isLanguage ? true : isMethod(member) && !isAbstract(member)
    const members = constructors[0]!.getReturnType().getProperties().filter(isMember)
    addMembers(members, prototype, isLanguage, isExact)
  } else if (calls.length > 0) {
    declared.push(isLanguage ? { path } : { path, call: allow(argumentsOf(calls)) })
  } else {
    declared.push({ path })
    // Members of instances are found from the class of the instance.
    const isObject = (type.flags & ts.TypeFlags.Object) !== 0 && !path.includes('prototype')
    if (isObject && isExact) addMembers(type.getProperties(), path, isLanguage, isExact)
  }
}

function addMembers(
  members: readonly ts.Symbol[],
  path: string[],
  isLanguage: boolean,
  isExact: boolean,
): void {
  const named = members.filter(({ name }) => !name.startsWith('__@') || name.includes('@iterator'))
  for (const member of named) {
    if (isNotEverywhere(member)) continue
    if (isLanguage) declared.push({ path: [...path, nameOf(member)] })
    else addValue(member, [...path, nameOf(member)], isExact)
  }
  if (!isLanguage && isExact) containers.push({ path, names: named.map(nameOf) })
}

const isValue = (symbol: ts.Symbol) => {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  return (target.flags & ts.SymbolFlags.Value) !== 0
}

const globals = checker
  .getSymbolsInScope(here, ts.SymbolFlags.Value | ts.SymbolFlags.Alias)
  .filter(isValue)
  .filter(({ name }) => !['v5', 'arguments', 'globalThis'].includes(name))
for (const symbol of globals)
  if (!ONLY_DECLARED.includes(symbol.name))
    addValue(symbol, [symbol.name], symbol.name !== 'ethers')

/** True for names that are declared by a pattern (`DOMException`), or that an enum has for its numbers. */
const isGeneral = (name: string) => name.endsWith('_ERR') || /^\d+$/.test(name)

const text = (path: readonly string[]) => path.join('.')

/** Finds each path in the sandbox. Does not call getters of prototypes, which reject a prototype as receiver. */
const INSPECT = `
const find = (path) => {
  let holder = globalThis
  for (const [at, name] of path.entries()) {
    const key = name === 'Symbol.iterator' ? Symbol.iterator : name
    let from = Object(holder)
    while (from !== null && !Object.hasOwn(from, key)) from = Object.getPrototypeOf(from)
    if (from === null) return undefined
    const { get, value } = Object.getOwnPropertyDescriptor(from, key)
    if (get && path.slice(0, at).includes('prototype')) return { value: 'an accessor' }
    holder = get ? get.call(holder) : value
  }
  return { value: holder }
}
const shown = (found) => {
  if (found === undefined) return 'missing'
  return typeof found.value === 'function' ? found.value.length : typeof found.value
}
const main = ({ paths, containers }) => ({
  found: paths.map((path) => shown(find(path))),
  names: containers.map((path) => Object.keys(find(path).value)),
  globals: Object.getOwnPropertyNames(globalThis),
})`

type Inspected = { found: (number | string)[]; names: string[][]; globals: string[] }
const inspected = async () =>
  (await sandbox.value(INSPECT, {
    paths: declared.map(({ path }) => path),
    containers: containers.map(({ path }) => path),
  })) as Inspected

describe('the declarations of the sandbox', () => {
  it('cover each of its globals, and no other name', async () => {
    const names = globals.map(({ name }) => name)
    const inSandbox = (await inspected()).globals
    expect(inSandbox.filter((name) => name !== 'globalThis' && !names.includes(name))).toEqual([])
    expect(names.filter((name) => !inSandbox.includes(name)).toSorted()).toEqual(ONLY_DECLARED)
  })

  it('have only members that exist, with their numbers of arguments', async () => {
    const { found } = await inspected()
    const wrong = declared.flatMap(({ path, call }, at) => {
      const actual = found[at]!
      if (actual === 'missing') return [`${text(path)} does not exist`]
      if (!call) return []
      if (typeof actual !== 'number') return [`${text(path)} is no function`]
      const { min, max } = call
      return actual >= min && actual <= max
        ? []
        : [`${text(path)} has ${actual} arguments, not ${min}–${max}`]
    })
    expect(wrong).toEqual([])
    // A walk that finds nothing would pass.
    expect(declared.length).toBeGreaterThan(1000)
    expect(declared.filter(({ call }) => call).length).toBeGreaterThan(300)
  })

  it('cover each member of what they declare', async () => {
    const { names } = await inspected()
    const missing = containers.flatMap(({ path, names: known }, at) =>
      names[at]!.filter((name) => !known.includes(name) && !isGeneral(name)).map(
        (name) => `${text(path)}.${name}`,
      ),
    )
    // ethers contains itself.
    expect(missing).toEqual(['ethers.ethers'])
    expect(containers.map(({ path }) => text(path))).toEqual(
      expect.arrayContaining(['Svc.Actions', 'ethers.utils', 'crypto.subtle', 'Headers.prototype']),
    )
  })

  it('of ethers are up to date', () => {
    expect(readFileSync(ETHERS_DECLARATIONS, 'utf8')).toBe(ethersDeclarations())
  })
})
