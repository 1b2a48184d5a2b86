/*
 * Converts a thrown value to text. This is done inside the sandbox, because reading the properties of a hostile object
 * can run its code, which must be subject to the deadline and the memory limit.
 */
export default function errors(host, base) {
  const { String, Error, WeakMap, indexOf, slice, stringify, test, weakGet, weakSet } = base
  const MESSAGE_CHARACTERS = 8192
  const STACK_CHARACTERS = 16384
  const ours = /[( ]svc:[a-z0-9]+\.js:\d/
  /* Actions cannot add entries. */
  const codes = new WeakMap()

  const isObject = (value) =>
    (typeof value === 'object' && value !== null) || typeof value === 'function'

  const textOf = (value, limit) => {
    try {
      return slice(String(value), 0, limit)
    } catch {
      return '(cannot be shown)'
    }
  }

  const read = (object, key, limit) => {
    try {
      const value = object[key]
      return value === undefined ? '' : textOf(value, limit)
    } catch {
      return '(cannot be read)'
    }
  }

  const withoutError = (value) => {
    if (!isObject(value)) return value === null ? 'null' : typeof value + ' ' + textOf(value, 4096)
    try {
      return 'object ' + slice(String(stringify(value)), 0, 4096)
    } catch {
      return 'object that cannot be shown'
    }
  }

  const isErrorLike = (value) => {
    try {
      return isObject(value) && typeof value.message === 'string'
    } catch {
      return false
    }
  }

  /*
   * Removes the prelude's stack frames, and the native frames called from them, because they mean nothing to the
   * action's author.
   */
  const ownFrames = (stack) => {
    let own = ''
    let natives = ''
    for (let at = 0; at < stack.length;) {
      let end = indexOf(stack, '\n', at)
      if (end < 0) end = stack.length
      const line = slice(stack, at, end) + '\n'
      at = end + 1
      if (indexOf(line, '(native)') >= 0) {
        natives += line
        continue
      }
      if (!test(ours, line)) own += natives + line
      natives = ''
    }
    own += natives
    return slice(own, 0, -1)
  }

  const describe = (thrown) => {
    if (!isErrorLike(thrown)) {
      const shown = withoutError(thrown)
      return {
        code: '',
        name: '',
        message: 'the action threw a value that is no Error: ' + shown,
        frames: '',
      }
    }
    return {
      code: weakGet(codes, thrown) ?? '',
      name: read(thrown, 'name', 256) || 'Error',
      message: read(thrown, 'message', MESSAGE_CHARACTERS),
      frames: ownFrames(read(thrown, 'stack', STACK_CHARACTERS)),
    }
  }

  return {
    describe,
    ownFrames,
    /* Sets the failure code that the run gets if the action does not catch the error. */
    mark(error, code) {
      weakSet(codes, error, code)
      return error
    },
    coded(code, message) {
      const error = new Error(message)
      weakSet(codes, error, code)
      return error
    },
    uncaught(thrown) {
      const { code, name, message, frames } = describe(thrown)
      host.fail(stringify(code), stringify(name), stringify(message), stringify(frames))
    },
  }
}
