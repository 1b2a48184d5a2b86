/**
 * Selects the diagnostics that are useful for an action in plain JavaScript (docs/decisions/0125-types-in-the-editor.md):
 * what fails at run time for certain, and wrong uses of what the runtime provides.
 */
import type { Problem } from './protocol.ts'
import ts from './typescript.ts'

/** Names that do not exist. TypeScript has other codes for names of Node, browsers and test runners. */
const UNKNOWN_NAME = new Set([2304, 2503, 2552, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593])
const UNKNOWN_MEMBER = new Set([2339, 2550, 2551, 2568, 2570])
const NOT_ASSIGNABLE = new Set([2322, 2345])
const WRONG_ARGUMENT = new Set([
  2322, 2345, 2353, 2554, 2555, 2556, 2559, 2560, 2561, 2739, 2740, 2741,
])
const AWAIT_OUTSIDE_ASYNC = new Set([1308, 1375, 1378, 1431, 1432])
/** Uses before the declaration, redeclared names, assignments to frozen objects and to constants. */
const CERTAIN = new Set([2448, 2451, 2540, 2588])
/** In the related information of other diagnostics. */
const IS_PROMISE = 2773

/** Grammar errors. */
const isSyntaxError = (code: number) => code < 2000
/** Syntax of TypeScript in a JavaScript file. */
const isTypeSyntax = (code: number) => code >= 8000 && code < 9000

/** Names of the language that the engine does not have. */
const MISSING = new Set(['Intl'])
const BUNDLE_MODULES = '`svc build` bundles modules into a script.'

export function problemsIn(
  file: ts.SourceFile,
  checker: ts.TypeChecker,
  diagnostics: readonly ts.Diagnostic[],
): Problem[] {
  const source = new ActionSource(file, checker)
  const isParsed = !diagnostics.some(({ code }) => isSyntaxError(code))
  const reported = diagnostics.flatMap((diagnostic) => {
    const { category, code, start, length = 0 } = diagnostic
    if (category !== ts.DiagnosticCategory.Error || start === undefined) return []
    // In a source with a syntax error, TypeScript mistakes other code for types.
    if (isTypeSyntax(code) && !isParsed) return []
    const text = source.describe(diagnostic, start, length)
    return text === undefined ? [] : [{ from: start, to: start + length, text }]
  })
  const problems = [...source.findUnreported(), ...reported]
  return problems.toSorted((one, other) => one.from - other.from)
}

class ActionSource {
  readonly #file: ts.SourceFile
  readonly #checker: ts.TypeChecker
  readonly #nodes: readonly ts.Node[]
  readonly #assignedMembers: ReadonlySet<string>
  readonly #testedNames: ReadonlySet<string>

  constructor(file: ts.SourceFile, checker: ts.TypeChecker) {
    this.#file = file
    this.#checker = checker
    this.#nodes = descendants(file)
    this.#assignedMembers = new Set(this.#nodes.flatMap(assignedMember))
    this.#testedNames = new Set(
      this.#nodes.filter(ts.isTypeOfExpression).map(({ expression }) => expression.getText()),
    )
  }

  /** Finds errors that TypeScript does not report: modules, and globals that the engine lacks. */
  findUnreported(): Problem[] {
    return this.#nodes.flatMap((node) => {
      const from = node.getStart()
      if (isModuleSyntax(node))
        return {
          from,
          to: node.getFirstToken()!.end,
          text: `An action is a script, so \`import\` and \`export\` are errors. ${BUNDLE_MODULES}`,
        }
      if (!ts.isIdentifier(node) || !isReference(node)) return []
      const { text: name, end: to } = node
      if (name === 'require' && isCallee(node) && !this.#isDeclared(node))
        return { from, to, text: `\`require\` does not exist in actions. ${BUNDLE_MODULES}` }
      if (MISSING.has(name) && !this.#isDeclared(node))
        return { from, to, text: doesNotExist(name) }
      return []
    })
  }

  /** Returns undefined if the diagnostic is not useful. */
  describe(diagnostic: ts.Diagnostic, start: number, length: number): string | undefined {
    const { code, relatedInformation: related = [] } = diagnostic
    const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n')
    if (AWAIT_OUTSIDE_ASYNC.has(code))
      return '`await` is allowed only in `async` functions, such as `async function main()`.'
    if (isSyntaxError(code) || isTypeSyntax(code)) return text
    // Undefined in comments, whose types are not part of the program.
    const node = this.#nodes.findLast(
      (one) => one.getStart() === start && one.end === start + length,
    )
    if (!node) return undefined
    if (UNKNOWN_NAME.has(code))
      return this.#testedNames.has(node.getText()) ? undefined : unknownName(node, text)
    if (UNKNOWN_MEMBER.has(code)) return this.#unknownMember(node, text, related)
    if (WRONG_ARGUMENT.has(code)) return this.#wrongArgument(node, diagnostic, text)
    if (!CERTAIN.has(code)) return undefined
    const isOfAnotherFile = related.some(({ file }) => file !== this.#file)
    return isOfAnotherFile ? undefined : text
  }

  #unknownMember(
    node: ts.Node,
    text: string,
    related: ts.DiagnosticRelatedInformation[],
  ): string | undefined {
    const name = node.getText()
    const { parent } = node
    const isMember = ts.isPropertyAccessExpression(parent)
    if (!isMember && !ts.isBindingElement(parent)) return undefined
    if (this.#assignedMembers.has(name)) return undefined
    if (isMember && this.#canHoldOther(parent.expression)) return undefined
    const pattern = parent.parent
    const object = isMember
      ? parent.expression
      : ts.isVariableDeclaration(pattern.parent)
        ? (pattern.parent.initializer ?? pattern)
        : pattern
    if (this.#isOwn(this.#checker.getTypeAtLocation(object))) return undefined
    const path = object.getText()
    const statement = PATH.test(path)
      ? `\`${path}\` has no member \`${name}\`.`
      : text.replace(/ Did you mean .*/, '')
    return isNotAwaited(related) ? `${statement} ${FORGOT_AWAIT}` : statement + suggestion(text)
  }

  /** Only for functions that the runtime provides. The language itself converts most arguments. */
  #wrongArgument(node: ts.Node, { code, relatedInformation }: ts.Diagnostic, text: string) {
    const call = ts.findAncestor(node, ts.isCallOrNewExpression)
    const declaration = call && this.#checker.getResolvedSignature(call)?.declaration
    if (!declaration?.getSourceFile().fileName.startsWith('/shared/')) return undefined
    // The further lines explain the types in detail.
    const statement = text.split('\n').slice(0, 2).join('\n')
    if (isNotAwaited(relatedInformation)) return `${statement} ${FORGOT_AWAIT}`
    const value = argumentAt(node)
    if (!value || !NOT_ASSIGNABLE.has(code)) return statement
    const isOfWeb = declaration.getSourceFile().fileName === WEB_FILE
    const isAccepted = this.#canBeAccepted(value) || (isOfWeb && this.#isConverted(value))
    return isAccepted ? undefined : statement
  }

  /** True for a number or boolean in place of a string. Web APIs convert them. */
  #isConverted(value: ts.Expression): boolean {
    const { flags } = this.#checker.getTypeAtLocation(value)
    const expected = this.#checker.getContextualType(value)
    if (!expected || (flags & CONVERTED) === 0) return false
    return this.#checker.isTypeAssignableTo(this.#checker.getStringType(), expected)
  }

  /**
   * True if the function may accept the value although its type is not assignable. For example, `const transaction =
   * { type: 2 }` has any number as its type.
   */
  #canBeAccepted(value: ts.Expression): boolean {
    const actual = this.#checker.getTypeAtLocation(value)
    const expected = this.#checker.getContextualType(value)
    if (!expected) return true
    if (this.#checker.isTypeAssignableTo(expected, actual)) return true
    if (ts.isObjectLiteralExpression(value)) return false
    return this.#canHoldOther(value) || (isObject(actual) && isObject(expected))
  }

  /** True for variables that can be assigned, because TypeScript infers the type from the first value. */
  #canHoldOther(expression: ts.Expression): boolean {
    if (!ts.isIdentifier(expression)) return false
    const declaration = this.#checker.getSymbolAtLocation(expression)?.valueDeclaration
    if (declaration?.getSourceFile() !== this.#file) return false
    return (ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) === 0
  }

  /** True for types of objects and classes of the source itself, to which JavaScript can add members. */
  #isOwn(type: ts.Type): boolean {
    const { declarations = [] } = type.getSymbol() ?? {}
    return declarations.some((one) => one.getSourceFile() === this.#file)
  }

  #isDeclared(name: ts.Identifier): boolean {
    const { declarations = [] } = this.#checker.getSymbolAtLocation(name) ?? {}
    return declarations.some((one) => one.getSourceFile() === this.#file)
  }
}

/** Declares the web APIs. */
const WEB_FILE = '/shared/action/web.d.ts'
const CONVERTED = ts.TypeFlags.NumberLike | ts.TypeFlags.BooleanLike | ts.TypeFlags.BigIntLike

/** A path of names, which can be quoted in a message. */
const PATH = /^[\w$]+(\.[\w$]+){0,4}$/

const FORGOT_AWAIT = 'Did you forget `await`?'

const doesNotExist = (name: string) => `\`${name}\` does not exist in actions.`

const unknownName = (node: ts.Node, text: string) => doesNotExist(node.getText()) + suggestion(text)

function suggestion(text: string): string {
  const [, similar] = /Did you mean '(.+)'\?/.exec(text) ?? []
  return similar === undefined ? '' : ` Did you mean \`${similar}\`?`
}

function descendants(file: ts.SourceFile): ts.Node[] {
  const nodes: ts.Node[] = []
  const visit = (node: ts.Node): void => {
    nodes.push(node)
    ts.forEachChild(node, visit)
  }
  ts.forEachChild(file, visit)
  return nodes
}

function isModuleSyntax(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true
  if (ts.isExportAssignment(node)) return true
  return (
    ts.canHaveModifiers(node) &&
    (ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false)
  )
}

/** False for names of members, as in `formats.Intl` or `{ Intl: 1 }`, and in `typeof Intl`. */
function isReference(node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node
  return !ts.isTypeOfExpression(parent)
}

const isCallee = (node: ts.Identifier) =>
  ts.isCallExpression(node.parent) && node.parent.expression === node

const isNotAwaited = (related: ts.DiagnosticRelatedInformation[] = []) =>
  related.some(({ code }) => code === IS_PROMISE)

/** True if the type, or a part of the union, has objects as its values. */
const isObject = (type: ts.Type): boolean =>
  type.isUnion() ? type.types.some(isObject) : (type.flags & ts.TypeFlags.Object) !== 0

/** Returns the argument, or the value of an argument's property, that a diagnostic refers to. */
function argumentAt(node: ts.Node): ts.Expression | undefined {
  const { parent } = node
  if (ts.isPropertyAssignment(parent) && parent.name === node) return parent.initializer
  if (ts.isShorthandPropertyAssignment(parent)) return parent.name
  return ts.isExpression(node) ? node : undefined
}

/** Returns the member that an assignment such as `error.code = 'late'` creates. */
function assignedMember(node: ts.Node): string[] {
  if (!ts.isBinaryExpression(node)) return []
  const { left, operatorToken } = node
  const isAssignment =
    operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
    operatorToken.kind <= ts.SyntaxKind.LastAssignment
  return isAssignment && ts.isPropertyAccessExpression(left) ? [left.name.text] : []
}
