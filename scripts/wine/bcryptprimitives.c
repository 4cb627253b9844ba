/* What Wine 8 lacks for programs made by Go, as the DLL that they load first. For tests
   only: such a program runs under it as it is. */
#include <windows.h>
#include <string.h>
#include <wchar.h>

BOOLEAN NTAPI SystemFunction036(void *buffer, ULONG size); /* RtlGenRandom */

/* Go takes its random numbers from here. */
__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *data, SIZE_T size) {
  return SystemFunction036(data, (ULONG)size);
}

typedef LONG(NTAPI *set_information)(HANDLE, void *, void *, ULONG, int);
static set_information original;

/* Windows renames no folder in which a file is open; Wine does. What this process has
   open is found by trying the numbers that handles have. */
static BOOL holds_open(HANDLE folder) {
  static WCHAR in[4096], at[4096];
  DWORD n = GetFinalPathNameByHandleW(folder, in, 4096, 0);
  BY_HANDLE_FILE_INFORMATION is;
  if (!n || n >= 4096 || !GetFileInformationByHandle(folder, &is) ||
      !(is.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY))
    return FALSE;
  for (ULONG_PTR h = 4; h < 4096; h += 4) {
    if (GetFileType((HANDLE)h) != FILE_TYPE_DISK) continue;
    DWORD m = GetFinalPathNameByHandleW((HANDLE)h, at, 4096, 0);
    if (m > n && m < 4096 && !wcsncmp(in, at, n) && at[n] == '\\') return TRUE;
  }
  return FALSE;
}

/* Go removes and renames files with calls of Windows 10 and goes on with older ones where
   Windows says that there are none, which Wine says with another number. */
static LONG NTAPI answer(HANDLE file, void *status, void *info, ULONG size, int class) {
  if ((class == 10 || class == 65) && holds_open(file)) return (LONG)0xC0000022; /* rename: ACCESS_DENIED */
  LONG code = original(file, status, info, size, class);
  return code == (LONG)0xC0000002 /* NOT_IMPLEMENTED */ ? (LONG)0xC0000003 /* INVALID_INFO_CLASS */ : code;
}

/* Wine's functions of the kernel are 32 bytes that can stand anywhere: a copy of this one
   is called by answer, and its beginning becomes: mov answer, %rax; jmp *%rax. */
BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, void *reserved) {
  if (reason != DLL_PROCESS_ATTACH) return TRUE;
  BYTE *at = (BYTE *)GetProcAddress(GetModuleHandleA("ntdll.dll"), "NtSetInformationFile");
  BYTE jump[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
  set_information to = answer;
  memcpy(jump + 2, &to, 8);
  BYTE *copy = VirtualAlloc(0, 32, MEM_COMMIT, PAGE_EXECUTE_READWRITE);
  DWORD old;
  if (!at || !copy || !VirtualProtect(at, 32, PAGE_EXECUTE_READWRITE, &old)) return FALSE;
  memcpy(copy, at, 32);
  original = (set_information)copy;
  memcpy(at, jump, sizeof jump);
  return VirtualProtect(at, 32, old, &old);
}
