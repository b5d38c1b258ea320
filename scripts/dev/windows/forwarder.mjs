// Makes a Windows library with one function that forwards to another library: for functions that Wine has elsewhere.

const AT = 0x1000;
const IN_FILE = 0x200;
const ALIGNED = 0x200;

/** @returns the bytes of a 64-bit DLL. @param forward the other library's function, such as `advapi32.SystemFunction036` */
export const forwarder = (library, name, forward) => {
  const bytes = Buffer.alloc(IN_FILE + ALIGNED);
  const put = (at, ...values) => values.reduce((to, value) => bytes.writeUInt32LE(value, to), at);
  bytes.write('MZ');
  put(0x3c, 0x40);
  bytes.write('PE\0\0', 0x40);
  // The machine and one section; 0xf0 bytes of header follow; a DLL.
  put(0x44, 0x0001_8664);
  put(0x54, 0x2022_00f0);
  // PE32+ without an entry point, with its own base address and the usual page and sector sizes, for version 6 of Windows.
  put(0x58, 0x20b);
  put(0x70, 0x1000_0000, 0x1, AT, ALIGNED, 6, 0, 6, 0, 2 * AT, IN_FILE, 0, 0x0140_0003);
  put(0xc4, 16, AT, ALIGNED);
  // The only section is the export table: readable data.
  bytes.write('.edata', 0x148);
  put(0x150, ALIGNED, AT, ALIGNED, IN_FILE);
  put(0x16c, 0x4000_0040);
  const texts = [library, name, forward];
  const [ownName, itsName, target] = texts.map(
    (_, index) => AT + 0x40 + texts.slice(0, index).join('\0').length + (index && 1),
  );
  bytes.write(texts.join('\0'), IN_FILE + 0x40);
  // One named function: its address, the address of its name, and its ordinal.
  put(IN_FILE + 0xc, ownName, 1, 1, 1, AT + 0x28, AT + 0x2c, AT + 0x30);
  put(IN_FILE + 0x28, target, itsName, 0);
  return bytes;
};
