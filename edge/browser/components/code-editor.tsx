import { useEffect, useRef } from 'preact/hooks'
import type { FC } from 'hono/jsx'
import type { Editor, EditorLanguage } from '../editor/mount-editor.ts'

export type MountedEditor = Pick<Editor, 'setText' | 'goTo' | 'mark'>

type CodeEditorProps = {
  /** ID of the textarea. */
  name: string
  label: string
  language: EditorLanguage
  /** Initial text of the editor. Later changes of this prop have no effect. */
  text: string
  onChange: (text: string) => void
  /** Called with the plain textarea first, and again with the editor once it has loaded. */
  onMounted: (editor: MountedEditor) => void
}

/** Code editor. Shows a plain textarea until the editor has loaded, or permanently if loading fails. */
export const CodeEditor: FC<CodeEditorProps> = (props) => {
  const { name, label, text } = props
  const area = useRef<HTMLTextAreaElement>(null)
  // The editor is mounted once, so it must call the callbacks of the latest render.
  const latest = useRef(props)
  latest.current = props
  useEffect(() => {
    const textarea = area.current!
    const { language, onMounted } = latest.current
    const onChange = (changed: string) => latest.current.onChange(changed)
    textarea.value = text
    let editor: Editor | undefined
    let isGone = false
    onMounted(plainEditor(textarea, onChange))
    import('/scripts/editor.js').then(
      ({ mountEditor }) => {
        if (isGone) return
        editor = mountEditor({ textarea, language, onChange })
        onMounted(editor)
      },
      () => {},
    )
    return () => {
      isGone = true
      editor?.destroy()
    }
  }, [])
  return (
    <div class="field source">
      <label for={name}>{label}</label>
      <textarea
        id={name}
        rows={18}
        spellcheck={false}
        ref={area}
        onInput={(event) => latest.current.onChange((event.target as HTMLTextAreaElement).value)}
      />
    </div>
  )
}

function plainEditor(
  textarea: HTMLTextAreaElement,
  onChange: (text: string) => void,
): MountedEditor {
  return {
    setText: (text: string) => {
      textarea.value = text
      onChange(text)
    },
    goTo: (line: number, column = 1) => {
      const before = textarea.value.split('\n').slice(0, line - 1)
      const at = before.reduce((sum, { length }) => sum + length + 1, 0) + column - 1
      textarea.focus()
      textarea.setSelectionRange(at, at)
    },
    mark: () => {},
  }
}
