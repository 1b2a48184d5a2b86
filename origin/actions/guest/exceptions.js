/* DOMException (Web IDL), the class of errors that web APIs throw in addition to TypeError and RangeError. */
export default function exceptions(_host, base, { webidl }) {
  const { Error, define } = base
  /*
   * Legacy constants in the order of their codes, which start at 1 (Web IDL). Each entry has a constant and, if it is
   * still in use, the exception name with that code.
   */
  const NUMBERED = [
    ['INDEX_SIZE', 'IndexSizeError'],
    ['DOMSTRING_SIZE'],
    ['HIERARCHY_REQUEST', 'HierarchyRequestError'],
    ['WRONG_DOCUMENT', 'WrongDocumentError'],
    ['INVALID_CHARACTER', 'InvalidCharacterError'],
    ['NO_DATA_ALLOWED'],
    ['NO_MODIFICATION_ALLOWED', 'NoModificationAllowedError'],
    ['NOT_FOUND', 'NotFoundError'],
    ['NOT_SUPPORTED', 'NotSupportedError'],
    ['INUSE_ATTRIBUTE', 'InUseAttributeError'],
    ['INVALID_STATE', 'InvalidStateError'],
    ['SYNTAX', 'SyntaxError'],
    ['INVALID_MODIFICATION', 'InvalidModificationError'],
    ['NAMESPACE', 'NamespaceError'],
    ['INVALID_ACCESS', 'InvalidAccessError'],
    ['VALIDATION'],
    ['TYPE_MISMATCH', 'TypeMismatchError'],
    ['SECURITY', 'SecurityError'],
    ['NETWORK', 'NetworkError'],
    ['ABORT', 'AbortError'],
    ['URL_MISMATCH', 'URLMismatchError'],
    ['QUOTA_EXCEEDED', 'QuotaExceededError'],
    ['TIMEOUT', 'TimeoutError'],
    ['INVALID_NODE_TYPE', 'InvalidNodeTypeError'],
    ['DATA_CLONE', 'DataCloneError'],
  ]
  /* Codes by exception name. The object has no prototype, so that lookups find only these names. */
  const CODES = { __proto__: null }

  let is

  class DOMException extends Error {
    #name

    constructor(message = '', options = 'Error') {
      super(webidl.string(message))
      if (webidl.isObject(options)) {
        const { name, cause } = options
        this.#name = name === undefined ? 'Error' : webidl.string(name)
        if ('cause' in options) define(this, 'cause', this.#hidden(cause))
      } else {
        this.#name = webidl.string(options)
      }
    }

    #hidden(value) {
      return { __proto__: null, value, writable: true, configurable: true }
    }

    get name() {
      return this.#name
    }

    get code() {
      return CODES[this.#name] ?? 0
    }

    static {
      is = (value) => webidl.isObject(value) && #name in value
    }
  }

  webidl.expose(DOMException)
  for (const [before, [constant, name]] of NUMBERED.entries()) {
    const value = before + 1
    if (name !== undefined) CODES[name] = value
    define(DOMException, constant + '_ERR', { value, enumerable: true })
    define(DOMException.prototype, constant + '_ERR', { value, enumerable: true })
  }

  return { DOMException, is }
}
