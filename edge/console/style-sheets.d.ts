/** Type of imported style sheets. esbuild imports them as text, and the scripts adopt them. */
declare module '*.css' {
  const text: string
  export default text
}
